// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// guarded is a part of a release method that runs only if a field is set.
type guarded struct {
	field    string
	at       *ssa.BasicBlock // its first block
	released map[string]token.Pos
}

// closeGuard reports a field that is released under the test of another one.
//
//	if m.a != nil { m.a.Free() }
//	if m.a != nil { m.b.Free() } // meant m.b
//
// A test of one field often stands for the whole object, so it takes a sign that
// the line was copied: the tested field is released under a test of its own
// elsewhere, or the two are swapped, and the other one is tested nowhere else.
func (e *engine) closeGuard(d *destructor) []Verdict {
	names := map[string]string{} // field to path
	for _, p := range d.owner.paths {
		if !strings.HasSuffix(p, "[]") {
			names[p[1:]] = p
		}
	}
	if len(names) < 2 {
		return nil // nothing to take for another
	}
	list := e.guards(d, names)
	var out []Verdict
	for _, g := range list {
		if len(g.released) != 1 {
			continue // stands for several
		}
		f := sortedKeys(g.released)[0]
		if f == g.field || len(list) < 2 {
			continue // its own
		}
		own, swapped, tested := false, false, false
		for _, other := range list {
			if other.at == g.at || g.at.Dominates(other.at) || other.at.Dominates(g.at) {
				continue // one inside the other: that is an order
			}
			_, rf := other.released[f]
			_, rg := other.released[g.field]
			own = own || other.field == g.field && rg && !rf
			swapped = swapped || other.field == f && rg && !rf
			tested = tested || other.field == f && !rg
		}
		if !own && !swapped || tested {
			continue
		}
		v := e.lifeVerdict(d, names[f], CloseGuard, g.released[f])
		v.Tier, v.Failed = min(v.Tier, report.Likely), d.fn.Params[0].Name()+"."+g.field
		out = append(out, v)
		break // swapped ones are one mistake
	}
	return out
}

// guards lists the parts of a release method that the test of a field guards,
// with the fields that each releases.
func (e *engine) guards(d *destructor, names map[string]string) []*guarded {
	var list []*guarded
	for _, b := range d.fn.Blocks {
		cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cmp, ok := cond.Cond.(*ssa.BinOp)
		if !ok || cmp.Op != token.NEQ && cmp.Op != token.EQL || !zeroConst(cmp.Y) {
			continue // asks for something else
		}
		field := recvField(d.fn, cmp.X)
		if names[field] == "" {
			continue // no owning field
		}
		at := b.Succs[0]
		if cmp.Op == token.EQL {
			at = b.Succs[1]
		}
		if len(at.Preds) != 1 {
			continue // not under the test alone
		}
		g := &guarded{field: field, at: at, released: map[string]token.Pos{}}
		for _, inside := range d.fn.Blocks {
			if at.Dominates(inside) {
				e.releasedIn(d, inside, names, g.released)
			}
		}
		list = append(list, g)
	}
	return list
}

// releasedIn notes the receiver's fields that a block releases, in cgo's
// literals too.
func (e *engine) releasedIn(d *destructor, b *ssa.BasicBlock, names map[string]string, found map[string]token.Pos) {
	for _, in := range b.Instrs {
		call, ok := in.(*ssa.Call)
		if !ok {
			continue
		}
		common := c(call)
		if common.StaticCallee() != nil && common.StaticCallee().Object() == nil || !e.releasesArg(common) {
			continue
		}
		for _, arg := range common.Args {
			f := recvField(d.fn, plainValue(arg))
			if names[f] != "" {
				found[f] = e.callPos(call)
			}
		}
	}
}
