// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// bounded reports whether something at the place of insertion limits how many
// elements there can be.
func (k *keepScan) bounded(ev *keepEvent) bool {
	p := ev.ref.place
	switch {
	case ev.key != nil && !ev.slice && k.fewKeys(ev.key, 0):
		return true // constants, an enumeration, a remainder
	case k.once(ev.fn):
		return true // sync.Once
	case k.guarded(ev.at.Block(), p):
		return true // filled while empty
	case k.lengthChecked(ev.at.Block(), p):
		return true
	case ev.within != nil && k.bounded(ev.within):
		return true
	case ev.fact != nil && ev.fact.Limited:
		return true // it bounds itself
	}
	return false
}

// fewKeys reports whether a map's key has few values by its nature.
func (k *keepScan) fewKeys(v ssa.Value, depth int) bool {
	if depth > 6 {
		return false
	}
	if fewValues(v.Type(), k.e.pass.Pkg, 0) {
		return true
	}
	switch x := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.BinOp:
		return x.Op == token.REM || x.Op == token.AND
	case *ssa.Convert:
		return k.fewKeys(x.X, depth+1)
	case *ssa.ChangeType:
		return k.fewKeys(x.X, depth+1)
	case *ssa.MakeInterface:
		return k.fewKeys(x.X, depth+1)
	case *ssa.Phi:
		for _, e := range x.Edges {
			if e != ssa.Value(x) && !k.fewKeys(e, depth+1) {
				return false
			}
		}
		return true
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok && (b.Name() == "min" || b.Name() == "len") {
			return b.Name() == "min"
		}
		if fn := x.Call.StaticCallee(); fn != nil && k.e.local(fn) {
			return k.fewResults(fn, depth)
		}
		if fn := x.Call.StaticCallee(); fn != nil && hasWord(fn.Name(), bucketWords) {
			return true
		}
	case *ssa.UnOp:
		switch a := x.X.(type) {
		case *ssa.Alloc:
			return k.fewFields(a, depth)
		case *ssa.FieldAddr:
			// A field of a configuration: one key for each.
			n := namedOf(a.X.Type())
			return n != nil && hasWord(n.Obj().Name(), []string{"config", "option", "setting", "opts", "params"})
		case *ssa.IndexAddr:
			// An element of a table: one of a fixed list.
			g, ok := k.origin(a.X).(*ssa.Global)
			return ok && g != nil
		}
	}
	return false
}

var bucketWords = []string{"bucket", "roundup", "round_up", "nextpow", "clamp", "quantize", "align"}

// fewResults reports whether a function of this package returns one of few
// values: constants, elements of a table, remainders.
//
//	func bucket(n int) int { for _, b := range buckets { if n <= b { return b } }; return 512 }
func (k *keepScan) fewResults(fn *ssa.Function, depth int) bool {
	if hasWord(fn.Name(), bucketWords) {
		return true
	}
	any := false
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || len(ret.Results) == 0 {
			continue
		}
		any = true
		if !k.fewKeys(ret.Results[0], depth+2) {
			return false
		}
	}
	return any
}

// fewFields: a struct key all of whose parts have few values.
func (k *keepScan) fewFields(a *ssa.Alloc, depth int) bool {
	any := false
	for _, ref := range *a.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == a {
				any = true
				if !k.fewKeys(ref.Val, depth+1) {
					return false
				}
			}
		case *ssa.FieldAddr:
			for _, r := range *ref.Referrers() {
				if st, ok := r.(*ssa.Store); ok && st.Addr == ref {
					any = true
					if !k.fewKeys(st.Val, depth+1) {
						return false
					}
				}
			}
		case *ssa.MakeClosure:
			return false
		}
	}
	return any
}

// fewValues reports whether a type has few values: bool, small integers, an
// enumeration (a named type with constants), structs and arrays of these.
func fewValues(t types.Type, pkg *types.Package, depth int) bool {
	if depth > 3 {
		return false
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && isEnum(named) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Bool, types.Int8, types.Uint8:
			return true
		}
	case *types.Struct:
		for i := 0; i < u.NumFields(); i++ {
			if !fewValues(u.Field(i).Type(), pkg, depth+1) {
				return false
			}
		}
		return u.NumFields() > 0
	}
	return false
}

// isEnum reports whether the package of a basic named type declares at least
// two constants of it.
func isEnum(named *types.Named) bool {
	if _, ok := named.Underlying().(*types.Basic); !ok || named.Obj().Pkg() == nil {
		return false
	}
	n := 0
	scope := named.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(c.Type(), named) {
			n++
		}
	}
	return n >= 2
}

// once reports whether a literal runs once only.
func (k *keepScan) once(fn *ssa.Function) bool {
	for f := fn; f.Parent() != nil; f = f.Parent() {
		for _, call := range k.takers(f) {
			if name := stdCallee(call.Common(), "sync"); name == "Once.Do" || strings.HasPrefix(name, "OnceFunc") || strings.HasPrefix(name, "OnceValue") {
				return true
			}
		}
	}
	for _, call := range k.callersOf(fn) {
		if call.Parent() != fn && call.Parent().Parent() != nil && k.once(call.Parent()) {
			return true
		}
	}
	// once.Do(c.load)
	return k.taken[fn] && k.onceMethod(fn)
}

// takers are the calls that are given a literal.
func (k *keepScan) takers(lit *ssa.Function) []ssa.CallInstruction {
	p := lit.Parent()
	if p == nil {
		return nil
	}
	var list []ssa.CallInstruction
	for _, b := range p.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			for _, a := range call.Common().Args {
				if keepLiteral(a) == lit {
					list = append(list, call)
				}
			}
		}
	}
	return list
}

func (k *keepScan) onceMethod(fn *ssa.Function) bool {
	for _, f := range k.e.funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(ssa.CallInstruction)
				if !ok || stdCallee(call.Common(), "sync") != "Once.Do" || len(call.Common().Args) < 2 {
					continue
				}
				if g := keepLiteral(call.Common().Args[1]); g != nil && boundOf(g, k.e) == fn {
					return true
				}
			}
		}
	}
	return false
}

// lengthChecked reports whether b is only reached where a comparison has found
// the container small enough, or where a full one was dealt with. A way around
// the comparison counts too: that is how a limit is switched off.
//
//	if len(c.m) >= c.max { return errFull }
//	if len(c.m) < 16 { c.m[k] = x }
//	if c.max > 0 && len(c.m) >= c.max { return errFull }
func (k *keepScan) lengthChecked(b *ssa.BasicBlock, p keepPlace) bool {
	for _, up := range b.Parent().Blocks {
		if up == b || !reaches(up, b, nil) || len(up.Instrs) == 0 {
			continue
		}
		iff, ok := up.Instrs[len(up.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		bin, ok := iff.Cond.(*ssa.BinOp)
		if !ok {
			continue
		}
		small := -1 // the successor on which the container is small
		switch {
		case k.measures(bin.X, p) || isCount(bin.X):
			small = smallSide(bin.Op)
		case k.measures(bin.Y, p) || isCount(bin.Y):
			small = 1 - smallSide(bin.Op)
			if smallSide(bin.Op) < 0 {
				small = -1
			}
		default:
			continue
		}
		if small < 0 {
			continue
		}
		// The other side must not come back here.
		if !reaches(up.Succs[1-small], b, up) {
			return true
		}
	}
	return false
}

// smallSide is the successor of "length OP limit" on which it is small.
func smallSide(op token.Token) int {
	switch op {
	case token.LSS, token.LEQ:
		return 0
	case token.GEQ, token.GTR, token.EQL: // == limit
		return 1
	case token.NEQ:
		return 0
	}
	return -1
}

// isCount reports whether v is read from a field or variable that is compared
// with a limit: c.used < c.limit.
func isCount(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	name := ""
	switch a := load.X.(type) {
	case *ssa.FieldAddr:
		name = fieldName(a.X.Type(), a.Field)
	case *ssa.Global:
		name = a.Name()
	}
	return hasWord(name, []string{"count", "used", "size", "num", "len", "total", "bytes"})
}

// reaches reports whether from leads to to without going through stop.
func reaches(from, to, stop *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{stop: true}
	var visit func(b *ssa.BasicBlock) bool
	visit = func(b *ssa.BasicBlock) bool {
		if b == to {
			return true
		}
		if seen[b] {
			return false
		}
		seen[b] = true
		for _, s := range b.Succs {
			if visit(s) {
				return true
			}
		}
		return false
	}
	return visit(from)
}
