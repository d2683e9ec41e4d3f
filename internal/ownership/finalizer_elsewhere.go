// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// armedElsewhere reports functions that release the handle out of an object
// which they found somewhere, while its finalizer stays.
//
//	gl.DeleteTexture(w.tex.id)
func (e *engine) armedElsewhere(done map[token.Pos]bool) []Verdict {
	list := e.armedFinals()
	if len(list) == 0 {
		return nil
	}
	var out []Verdict
	for _, fn := range e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(*ssa.Call)
				if !ok || !e.releasesArg(&call.Call) {
					continue
				}
				for _, arg := range call.Call.Args {
					a := e.armedField(fn, arg, list)
					if a == nil || done[e.callPos(call)] || e.disarms(top(fn), 0) || storesField(top(fn), a) {
						continue
					}
					if e.doesAgain(&call.Call) == rules.AgainOK {
						continue
					}
					done[e.callPos(call)] = true
					out = append(out, e.armedVerdict(fn, a, e.callPos(call), report.Likely))
				}
			}
		}
	}
	return out
}

func top(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// armedField is the finalizer of the object that a handle was read from, if
// that object came from elsewhere: a parameter's are followed path by path, and
// a new one has no finalizer yet.
func (e *engine) armedField(fn *ssa.Function, arg ssa.Value, list []*armed) *armed {
	load, ok := plainValue(arg).(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	fa, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	obj := outside(fa.X)
	if cell, ok := obj.(*ssa.Alloc); ok {
		obj = onlyStore(cell) // a variable that cgo's literal has captured
	}
	switch x := obj.(type) {
	case *ssa.UnOp:
		if x.Op != token.MUL {
			return nil
		}
		switch x.X.(type) {
		case *ssa.FieldAddr, *ssa.Global, *ssa.IndexAddr:
		default:
			return nil // a variable, which may be a parameter's
		}
	case *ssa.Call:
		if callee := x.Call.StaticCallee(); callee == nil || !e.setsFinal(callee) {
			return nil
		}
	case *ssa.Extract:
		call, ok := x.Tuple.(*ssa.Call)
		if !ok || call.Call.StaticCallee() == nil || !e.setsFinal(call.Call.StaticCallee()) {
			return nil
		}
	default:
		return nil
	}
	for _, a := range list {
		if isType(fa.X.Type(), a.named) && "."+fieldName(fa.X.Type(), fa.Field) == a.path && top(fn) != a.fn && fn != a.fn {
			return a
		}
	}
	return nil
}

// setsFinal reports whether a function sets a finalizer.
func (e *engine) setsFinal(fn *ssa.Function) bool {
	for _, f := range e.finals() {
		if f.fn != nil && top(f.in) == fn {
			return true
		}
	}
	return false
}

// storesField reports whether fn assigns the field: it cleared it, most likely.
func storesField(fn *ssa.Function, a *armed) bool {
	found := false
	eachInstr(fn, func(in ssa.Instruction) {
		if st, ok := in.(*ssa.Store); ok {
			if fa, ok := st.Addr.(*ssa.FieldAddr); ok && isType(fa.X.Type(), a.named) {
				found = true // that field, or a flag that the finalizer looks at
			}
		}
	})
	return found
}

// releasesArg reports whether a call releases one of its arguments.
func (e *engine) releasesArg(c *ssa.CallCommon) bool {
	if m := e.callModel(c); m != nil {
		return modelEnds(m)
	}
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	if name, ok := cFuncName(fn.Name()); ok {
		return e.cEnds(name)
	}
	if obj := fn.Object(); obj != nil && e.local(fn) {
		for i := range fn.Params {
			if eff := e.localEffect(fn, i, ""); (eff.OK|eff.Err)&bitReleased != 0 {
				return true
			}
		}
	}
	return false
}

// doesAgain is secondDoes for a call that no run has evaluated.
func (e *engine) doesAgain(c *ssa.CallCommon) rules.Again {
	iv := &invocation{common: c, model: e.callModel(c)}
	if c.IsInvoke() {
		iv.obj, iv.method = c.Method, true
	} else if fn := c.StaticCallee(); fn != nil {
		iv.callee = fn
		iv.obj, _ = fn.Object().(*types.Func)
		iv.method = fn.Signature.Recv() != nil
	}
	iv.args = make([]val, len(c.Args))
	return e.secondDoes(iv)
}

// armedLibrary reports explicit releases of objects that the library itself
// finalizes without taking notice of them.
//
//	pipeline.Unref() // and once more by the library's finalizer
func (e *engine) armedLibrary() []Verdict {
	var list []Verdict
	for _, fn := range e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				m := e.callModel(call.Common())
				if m == nil {
					continue
				}
				c := e.finalizedByLibrary(call.Common(), m)
				if c == nil || e.disarms(top(fn), 0) {
					continue
				}
				pos := e.posOf(call)
				class := classOf(c, nil)
				list = append(list, Verdict{
					Kind: FinalArmed, Tier: report.Likely, Pos: pos, Class: class, Function: funcName(fn), Acquired: pos,
					Callee: "library's finalizer", Name: class.Noun,
				})
			}
		}
	}
	return list
}

// finalizedByLibrary is the class of what a call releases, if a finalizer of
// the library's releases it once more: it has one, and a second release is
// fatal. What goes back to a pool has none.
func (e *engine) finalizedByLibrary(cc *ssa.CallCommon, m *rules.Func) *rules.Class {
	for _, eff := range m.Effects {
		if eff.Op != rules.OpRelease || eff.Place.Kind == rules.PlaceNone || eff.Advisory || eff.Partial {
			continue
		}
		c := eff.Class
		if c == nil {
			iv := &invocation{common: cc, method: !cc.IsInvoke() && cc.Signature().Recv() != nil, args: make([]val, len(cc.Args))}
			c = e.classOfArg(iv, eff.Place)
		}
		if c == nil {
			continue
		}
		if known := e.models.ClassByName(c.Name); known != nil {
			c = known
		}
		again := eff.Again
		if again == rules.AgainUnknown {
			again = c.Again
		}
		late := c.Backstop == rules.BackstopLate || c.Backstop == rules.BackstopGC
		if late && again == rules.AgainCrash && c.Pool == "" {
			return c
		}
	}
	return nil
}
