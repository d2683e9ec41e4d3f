// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// globalWrites reports owning package variables that a function assigns again,
// or clears, while they still own: fieldWrites for what has no object. A
// variable owns if some function of the package releases what is in it.
//
//	var device *Device
//	func SetDevice(n int) { device = open(n) }
//	func Close()          { device.Close() }
func (e *engine) globalWrites(fn *ssa.Function) []Verdict {
	if fn.Parent() != nil || isTestFunc(fn) || fn.Synthetic != "" || isMain(fn) || strings.HasPrefix(fn.Name(), "init#") {
		return nil // a literal runs when its parent says so, perhaps once; the others run once
	}
	var list []Verdict
	for _, g := range e.storedGlobals(fn) {
		t := elem(g.Type())
		if !e.isHandle(t) || leafType(t) != t || !e.globalReleased(g) {
			continue // a list, or nobody releases it: not an owner
		}
		if e.calleesMention(fn, g, map[*ssa.Function]bool{fn: true}) {
			continue // a helper may release or move what is there
		}
		pos, cleared := e.lostFrom(fn, loc{root: g})
		if !pos.IsValid() {
			continue
		}
		tier := report.Likely
		if !cleared && !replaces(fn.Name()) {
			tier = report.Possible // called once, for all that is known
		}
		class := e.handleClass(t)
		list = append(list, Verdict{
			Kind: Overwritten, Tier: min(tier, class.ceiling()), Pos: pos, Class: class, Acquired: pos,
			Function: funcName(fn), Name: g.Name(), Nil: cleared,
		})
	}
	return list
}

// storedGlobals are the package's variables that fn itself assigns, in order.
func (e *engine) storedGlobals(fn *ssa.Function) []*ssa.Global {
	var list []*ssa.Global
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			st, ok := in.(*ssa.Store)
			if !ok {
				continue
			}
			if g, ok := st.Addr.(*ssa.Global); ok && g.Pkg == e.pkg && !slices.Contains(list, g) {
				list = append(list, g)
			}
		}
	}
	return list
}

// calleesMention reports whether fn calls a function of the package that has to
// do with the variable.
func (e *engine) calleesMention(fn *ssa.Function, g *ssa.Global, seen map[*ssa.Function]bool) bool {
	found := false
	eachCall(fn, func(in ssa.CallInstruction) {
		callee := in.Common().StaticCallee()
		if found || callee == nil || seen[callee] || !e.local(callee) {
			return
		}
		seen[callee] = true
		eachInstr(callee, func(in ssa.Instruction) {
			for _, op := range in.Operands(nil) {
				found = found || *op == ssa.Value(g)
			}
		})
		found = found || e.calleesMention(callee, g, seen)
	})
	return found
}

// globalReleased reports whether a function of the package hands what is in the
// variable to a release.
func (e *engine) globalReleased(g *ssa.Global) bool {
	for _, fn := range e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.UnOp:
					if in.Op == token.MUL && in.X == ssa.Value(g) && (e.goesToRelease(in, 0) || e.helperEnds(in)) {
						return true
					}
				case ssa.CallInstruction:
					// A struct handle: its release has the variable's address.
					m := e.callModel(in.Common())
					if m != nil && modelEnds(m) && len(in.Common().Args) > 0 && in.Common().Args[0] == ssa.Value(g) {
						return true
					}
				}
			}
		}
	}
	return false
}

// helperEnds reports whether a function of the package, or a method of the
// value's own, releases the value.
func (e *engine) helperEnds(v ssa.Value) bool {
	for _, ref := range *v.Referrers() {
		call, ok := ref.(ssa.CallInstruction)
		if !ok {
			continue
		}
		if m := e.callModel(call.Common()); m != nil {
			if modelEnds(m) {
				return true
			}
			continue
		}
		fn := call.Common().StaticCallee()
		if fn == nil || !e.local(fn) {
			continue
		}
		for i, a := range call.Common().Args {
			if a != v {
				continue
			}
			if eff := e.localEffect(fn, i, ""); (eff.OK|eff.Err)&bitReleased != 0 {
				return true
			}
		}
	}
	return false
}

// replaces reports whether a function's name says that something may be there
// already.
func replaces(name string) bool {
	again := false
	for _, w := range nameWords(name) {
		if slices.Contains(beginWords, w) {
			return false
		}
		again = again || slices.Contains(againWords, w) || slices.Contains(putWords, w)
	}
	return again
}

// handleClass describes a handle of type t that nobody is seen to acquire.
func (e *engine) handleClass(t types.Type) Class {
	c := Class{Name: "field", Noun: "resource", Verb: "released", Owner: true}
	named := namedOf(t)
	if named == nil {
		return c
	}
	c.Noun = strings.TrimPrefix(strings.TrimPrefix(named.Obj().Name(), "_Ctype_"), "struct_")
	if m := e.models.Type(named.Obj()); m != nil && m.Class != nil {
		return classOf(m.Class, m.Releases)
	}
	return c
}
