// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// recvField names the receiver's field that an address or a value is of, "" if
// it is of none.
func recvField(fn *ssa.Function, v ssa.Value) string {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	switch v := v.(type) {
	case *ssa.FieldAddr:
		if isRecv(fn, v.X) {
			return fieldName(v.X.Type(), v.Field)
		}
	case *ssa.Field:
		if isRecv(fn, v.X) {
			return fieldName(v.X.Type(), v.Field)
		}
	}
	return ""
}

// isRecv reports whether v is the receiver, its captured variable, or the local
// copy of a value receiver.
func isRecv(fn *ssa.Function, v ssa.Value) bool {
	if isParam(v, fn.Params[0]) {
		return true
	}
	switch v := v.(type) {
	case *ssa.Alloc:
		return holdsParam(v, fn.Params[0])
	case *ssa.UnOp:
		if fv, ok := v.X.(*ssa.FreeVar); ok && v.Op == token.MUL {
			return capturedFrom(fv, fn.Params[0])
		}
	}
	return false
}

func holdsParam(cell *ssa.Alloc, p *ssa.Parameter) bool {
	for _, ref := range *cell.Referrers() {
		if st, ok := ref.(*ssa.Store); ok && st.Addr == cell && st.Val == p {
			return true
		}
	}
	return false
}

// capturedFrom reports whether a literal's free variable is the variable that
// parameter p became.
func capturedFrom(fv *ssa.FreeVar, p *ssa.Parameter) bool {
	lit := fv.Parent()
	if lit.Parent() == nil {
		return false
	}
	for _, b := range lit.Parent().Blocks {
		for _, in := range b.Instrs {
			mc, ok := in.(*ssa.MakeClosure)
			if !ok || mc.Fn != lit {
				continue
			}
			for i, x := range mc.Bindings {
				if lit.FreeVars[i] != fv {
					continue
				}
				if outer, ok := x.(*ssa.FreeVar); ok {
					return capturedFrom(outer, p)
				}
				cell, ok := x.(*ssa.Alloc)
				return ok && holdsParam(cell, p) || x == ssa.Value(p)
			}
		}
	}
	return false
}

// eachInstr visits the instructions of fn and its literals.
func eachInstr(fn *ssa.Function, visit func(ssa.Instruction)) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			visit(in)
		}
	}
	for _, anon := range fn.AnonFuncs {
		eachInstr(anon, visit)
	}
}

// zeroConst reports whether v is nil, 0, or the zero value of a struct.
func zeroConst(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return true
		}
		return v.Value.Kind() == constant.Int && constant.Sign(v.Value) == 0
	case *ssa.Convert:
		return zeroConst(v.X)
	case *ssa.ChangeType:
		return zeroConst(v.X)
	}
	return false
}

// clearsSibling reports whether the method clears another field that it
// releases.
func (e *engine) clearsSibling(d *destructor, path string) bool {
	found := false
	eachInstr(d.fn, func(in ssa.Instruction) {
		st, ok := in.(*ssa.Store)
		if !ok || !zeroConst(st.Val) {
			return
		}
		name := recvField(d.fn, st.Addr)
		for _, p := range d.owner.paths {
			if p != path && strings.TrimSuffix(p[1:], "[]") == name && d.releases(p) {
				found = true
			}
		}
	})
	return found
}

// flagWords are in the names of fields that say that an object is closed.
var flagWords = []string{"closed", "freed", "released", "destroyed", "disposed", "dropped", "finalized", "dead", "done", "stopped"}

// idleFlag reports a flag that protects nothing: the method sets it and does
// not look at it, or looks at it and nobody sets it.
func (e *engine) idleFlag(d *destructor) bool {
	sets, tests := map[string]bool{}, map[string]bool{}
	eachInstr(d.fn, func(in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.Store:
			if isBool(in.Val.Type()) {
				sets[recvField(d.fn, in.Addr)] = true
			}
		case *ssa.UnOp:
			if in.Op == token.MUL && isBool(in.Type()) {
				tests[recvField(d.fn, in)] = true
			}
		case *ssa.Call: // m.closed.Store(true)
			if f := in.Call.StaticCallee(); f != nil && f.Name() == "Store" && len(in.Call.Args) > 0 {
				sets[recvField(d.fn, in.Call.Args[0])] = true
			}
		}
	})
	for _, name := range sortedKeys(sets) {
		if name != "" && hasWord(name, flagWords) && !tests[name] {
			return true
		}
	}
	for _, name := range sortedKeys(tests) {
		if name != "" && hasWord(name, flagWords) && !e.fieldSet(d.owner.named, name) {
			return true
		}
	}
	return false
}

// fieldSet reports whether any code of the package assigns a field, or takes
// its address.
func (e *engine) fieldSet(named *types.Named, name string) bool {
	if f := fieldOfStruct(named, name); f == nil || f.Exported() {
		return true // other packages may
	}
	for _, fn := range e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				fa, ok := in.(*ssa.FieldAddr)
				if !ok || !isType(fa.X.Type(), named) || fieldName(fa.X.Type(), fa.Field) != name {
					continue
				}
				for _, ref := range *fa.Referrers() {
					load, isLoad := ref.(*ssa.UnOp)
					if _, debug := ref.(*ssa.DebugRef); !debug && (!isLoad || load.Op != token.MUL) {
						return true
					}
				}
			}
		}
	}
	return false
}

func fieldOfStruct(named *types.Named, name string) *types.Var {
	st, ok := named.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for i := range st.NumFields() {
		if st.Field(i).Name() == name {
			return st.Field(i)
		}
	}
	return nil
}

// closedTwice reports whether two functions of the package call the method on
// what lies in one and the same field or variable, and neither puts anything
// else there.
//
//	func (r *runner) unload()   { r.server.Close() }
//	func (r *runner) Shutdown() { r.server.Close() }
func (e *engine) closedTwice(fn *ssa.Function) bool {
	if e.closers == nil {
		e.closers = e.findClosers()
	}
	for _, callers := range e.closers[fn] {
		if len(callers) > 1 {
			return true
		}
	}
	return false
}

// findClosers maps each release method to the places that it is called on, and
// these to the functions that do so and leave the place as it is.
func (e *engine) findClosers() map[*ssa.Function]map[any]map[*ssa.Function]bool {
	found := map[*ssa.Function]map[any]map[*ssa.Function]bool{}
	for _, caller := range e.funcs {
		for _, b := range caller.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				callee := call.Common().StaticCallee()
				if callee == nil || callee.Signature.Recv() == nil || !endsLife(callee.Name()) || len(call.Common().Args) == 0 || !e.local(callee) {
					continue
				}
				place := placeKey(call.Common().Args[0])
				if place == nil || assigns(caller, place) {
					continue // a local object, or another one afterwards
				}
				if found[callee] == nil {
					found[callee] = map[any]map[*ssa.Function]bool{}
				}
				if found[callee][place] == nil {
					found[callee][place] = map[*ssa.Function]bool{}
				}
				found[callee][place][caller] = true
			}
		}
	}
	return found
}

// placeKey identifies the field, of whichever object, or the package variable
// that a pointer was loaded from.
func placeKey(v ssa.Value) any {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	return addrKey(load.X)
}

func addrKey(v ssa.Value) any {
	switch v := v.(type) {
	case *ssa.Global:
		return v
	case *ssa.FieldAddr:
		if st, ok := coreStruct(elem(v.X.Type())); ok {
			return st.Field(v.Field)
		}
	}
	return nil
}

// assigns reports whether fn stores something to the place.
func assigns(fn *ssa.Function, place any) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if st, ok := in.(*ssa.Store); ok && addrKey(st.Addr) == place {
				return true
			}
		}
	}
	return false
}

// copyCleared is where a method with a value receiver clears the field of its
// copy: the caller's object keeps the handle.
//
//	func (m Model) Close() { m.buf.Free(); m.buf = nil }
func (e *engine) copyCleared(d *destructor, path string) token.Pos {
	if !isStructVal(d.fn.Params[0].Type()) {
		return token.NoPos
	}
	name := strings.TrimSuffix(path[1:], "[]")
	pos := token.NoPos
	eachInstr(d.fn, func(in ssa.Instruction) {
		st, ok := in.(*ssa.Store)
		if !ok || pos.IsValid() {
			return
		}
		c, isConst := st.Val.(*ssa.Const)
		flag := isConst && c.Value != nil && c.Value.Kind() == constant.Bool && constant.BoolVal(c.Value) && hasWord(recvField(d.fn, st.Addr), flagWords)
		if flag || zeroConst(st.Val) && recvField(d.fn, st.Addr) == name {
			pos = st.Pos()
		}
	})
	return pos
}

// closeForgets reports a field that the type's release method leaves alone
// although the package fills it.
//
// What nothing at all releases is GM102's, at the constructor, unless the field
// is exported: then it cannot know. And a field that another method releases
// only to fill it again is full when the object ends.
func (e *engine) closeForgets(t *ownerType) []Verdict {
	var main *destructor
	for _, d := range t.ends {
		if main == nil || d.fn.Object() != nil && d.fn.Object().Exported() && !main.fn.Object().Exported() {
			main = d
		}
	}
	if main == nil {
		return nil
	}
	var list []Verdict
	for _, path := range t.paths {
		switch {
		case main.releases(path):
			continue
		case len(t.rel[path]) == 0 && e.exportedField(t.named, path) && e.fieldFilled(t.named, path) && e.fieldOnlyUsed(t.named, path):
		case len(t.rel[path]) > 0 && e.onlyReplaced(t, path):
		default:
			continue // GM102's, or another method's to release
		}
		v := e.lifeVerdict(main, path, CloseForgets, main.fn.Pos())
		v.Tier = min(v.Tier, report.Likely)
		list = append(list, v)
	}
	return list
}

// exportedField reports whether other packages can reach the field, which
// makes GM102 silent about it.
func (e *engine) exportedField(named *types.Named, path string) bool {
	f := fieldOfStruct(named, strings.TrimSuffix(path[1:], "[]"))
	return f != nil && f.Exported() && !f.Embedded() && named.Obj().Exported() && e.pass.Pkg.Name() != "main"
}

// fieldFilled reports whether some function of the package puts a resource of
// its own into the field.
func (e *engine) fieldFilled(named *types.Named, path string) bool {
	for _, fn := range e.funcs {
		if fn.Parent() != nil {
			continue
		}
		a := e.analyze(fn)
		if a == nil {
			continue
		}
		for _, sr := range a.sites {
			for _, o := range sr.outs {
				if o.path != path {
					continue
				}
				switch {
				case o.kind == Returned && o.result >= 0 && o.captured == nil:
					if isType(fn.Signature.Results().At(o.result).Type(), named) {
						return true
					}
				case o.kind == Stored && o.into >= 0 && o.into < len(fn.Params):
					if isType(fn.Params[o.into].Type(), named) {
						return true
					}
				}
			}
		}
	}
	return false
}

// onlyReplaced reports whether each method that releases the field puts
// another resource there before it returns.
func (e *engine) onlyReplaced(t *ownerType, path string) bool {
	for _, fn := range t.fns {
		d := &destructor{owner: t, fn: fn}
		eff := e.localEffect(fn, 0, path)
		if (eff.OK|eff.Err)&(bitReleased|bitMoved) == 0 {
			continue
		}
		if endsLife(fn.Name()) {
			return false // Stop releases it, say, and Close need not
		}
		c := e.followClose(d, path)
		replaced := false
		for _, r := range c.rets {
			if r.s.status != released {
				continue
			}
			v, ok := r.s.mem.get(c.start)
			if !ok || isZero(v) || e.isOwn(v) {
				return false // released, and nothing new
			}
			replaced = true
		}
		if !replaced || c.run.degraded {
			return false
		}
	}
	return true
}

func (e *engine) isOwn(v val) bool {
	_, ok := v.(own)
	return ok
}
