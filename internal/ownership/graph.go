// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// A graphRun follows what carries the graph of gradients of one forward call:
// its result, and everything computed from it. It goes through variables,
// literals and functions of the package, without regard to branches: what may
// happen to the graph on some path happens.
type graphRun struct {
	h      *habits
	tensor *types.Named
	seen   map[ssa.Value]bool

	backward []ssa.CallInstruction // gradients are computed from it
	read     ssa.CallInstruction   // first call that takes numbers out of it
	returned bool                  // by the function that the run began in
	results  map[int]bool          // which of its results
	escapes  bool                  // to where it cannot be followed
	top      *ssa.Function
}

// graphOf follows v from its definition in the function tree of top.
func (h *habits) graphOf(top *ssa.Function, v ssa.Value, tensor *types.Named) *graphRun {
	r := h.newGraph(top, tensor)
	r.follow(v)
	return r
}

func (h *habits) newGraph(top *ssa.Function, tensor *types.Named) *graphRun {
	return &graphRun{h: h, tensor: tensor, top: top, seen: map[ssa.Value]bool{}, results: map[int]bool{}}
}

// throughParam follows the graph from an argument of a function, once for all
// its callers. The answer to recursion is what was found so far.
func (h *habits) throughParam(p *ssa.Parameter, tensor *types.Named) *graphRun {
	r := h.params[p]
	if r == nil {
		r = h.newGraph(p.Parent(), tensor)
		h.params[p] = r
		r.follow(p)
	}
	return r
}

// carries reports whether a value of type t can hold the tensor.
func (r *graphRun) carries(t types.Type) bool {
	if n := namedOf(t); n != nil && n.Obj() == r.tensor.Obj() {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return r.carries(u.Elem())
	case *types.Array:
		return r.carries(u.Elem())
	case *types.Map:
		return r.carries(u.Elem())
	case *types.Interface:
		return u.NumMethods() == 0
	case *types.Tuple:
		for i := range u.Len() {
			if r.carries(u.At(i).Type()) {
				return true
			}
		}
	case *types.Pointer:
		return r.carries(u.Elem())
	}
	return false
}

func (r *graphRun) follow(v ssa.Value) {
	if r.seen[v] || v.Referrers() == nil {
		return
	}
	r.seen[v] = true
	for _, ref := range *v.Referrers() {
		r.use(v, ref)
	}
}

func (r *graphRun) use(v ssa.Value, ref ssa.Instruction) {
	switch ref := ref.(type) {
	case *ssa.DebugRef, *ssa.BinOp, *ssa.If:
	case *ssa.Extract:
		if r.carries(ref.Type()) {
			r.follow(ref)
		}
	case *ssa.Phi, *ssa.MakeInterface, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.Convert, *ssa.TypeAssert,
		*ssa.Slice, *ssa.IndexAddr, *ssa.Index, *ssa.Lookup, *ssa.Range, *ssa.Next:
		r.follow(ref.(ssa.Value))
	case *ssa.UnOp:
		if r.carries(ref.Type()) {
			r.follow(ref)
		}
	case *ssa.FieldAddr, *ssa.Field:
		// A look into the handle.
	case *ssa.Store:
		if ref.Val == v {
			r.storedIn(ref.Addr)
		}
	case *ssa.MapUpdate:
		if ref.Value == v {
			r.storedIn(ref.Map)
		}
	case *ssa.MakeClosure:
		for i, b := range ref.Bindings {
			if b == v {
				r.follow(ref.Fn.(*ssa.Function).FreeVars[i])
			}
		}
	case *ssa.Return:
		r.returns(v, ref)
	case ssa.CallInstruction:
		r.call(v, ref)
	default:
		r.escapes = true // sent, and what else there may be
	}
}

// storedIn follows the graph into a variable of the function. Anything that
// outlives the function is out of sight.
func (r *graphRun) storedIn(addr ssa.Value) {
	switch a := addr.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
		r.follow(addr)
	case *ssa.FreeVar:
		r.follow(addr)
		if x := r.h.binding(a); x != nil {
			r.storedIn(x)
		}
	case *ssa.IndexAddr:
		r.storedIn(a.X)
	case *ssa.Slice:
		r.storedIn(a.X)
	case *ssa.Phi, *ssa.Call:
		r.follow(addr)
	case *ssa.UnOp:
		r.storedIn(a.X)
	default:
		r.escapes = true // a field, a global
	}
}

func (r *graphRun) returns(v ssa.Value, ret *ssa.Return) {
	fn := ret.Parent()
	for i, x := range ret.Results {
		if x != v {
			continue
		}
		if fn == r.top {
			r.returned, r.results[i] = true, true
			continue
		}
		if call := r.h.calledAt(fn); call != nil {
			r.follow(call) // NoGrad1(func() any { return x })
		} else if fn.Parent() != nil {
			r.escapes = true // a literal that somebody keeps
		}
	}
}

// call follows the graph into a call.
func (r *graphRun) call(v ssa.Value, in ssa.CallInstruction) {
	c := in.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		if call, ok := in.(*ssa.Call); ok && b.Name() == "append" {
			r.follow(call)
		}
		return
	}
	if _, isGo := in.(*ssa.Go); isGo {
		r.escapes = true
		return
	}
	m := r.h.callModel(c)
	if m == nil && r.h.ofLibrary(c) {
		m = new(rules.Func) // a modelled library does what its models say, and nothing else
	}
	if m != nil {
		r.modelled(v, in, m)
		return
	}
	callee := r.h.localCallee(c)
	if callee == nil {
		callee = literalOf(c.Value)
	}
	if callee != nil && len(callee.Blocks) > 0 {
		r.local(v, in, callee)
		return
	}
	if r.h.borrowsNumbers(c) {
		r.reads(in)
		return
	}
	r.escapes = true
}

// modelled does what the model says: gradients, or a result without a graph, or
// one more value that carries it.
func (r *graphRun) modelled(v ssa.Value, in ssa.CallInstruction, m *rules.Func) {
	c := in.Common()
	clean := false
	for _, eff := range m.Effects {
		switch eff.Op {
		case rules.OpBackward:
			if x := r.h.placeOf(c, eff.Place); x == v {
				r.backward = append(r.backward, in)
			}
		case rules.OpDetach:
			clean = true
		case rules.OpKeep, rules.OpConsume:
			if x := r.h.placeOf(c, eff.Place); x == v && eff.When.Kind == rules.CondDefault {
				r.escapes = true // kept by the library
			}
		}
	}
	call, ok := in.(*ssa.Call)
	if !ok || clean {
		return
	}
	switch {
	case r.carries(call.Type()):
		r.follow(call)
	case givesNumbers(c.Signature()):
		r.reads(in)
	}
}

// givesNumbers reports whether a signature has a result besides errors.
func givesNumbers(sig *types.Signature) bool {
	for i := range sig.Results().Len() {
		if !isError(sig.Results().At(i).Type()) {
			return true
		}
	}
	return false
}

func (r *graphRun) reads(in ssa.CallInstruction) {
	if r.read == nil || in.Pos() < r.read.Pos() {
		r.read = in
	}
}

// local goes on inside a function of the package.
func (r *graphRun) local(v ssa.Value, in ssa.CallInstruction, callee *ssa.Function) {
	ops := operands(in.Common())
	for i, x := range ops {
		if x != v || i >= len(callee.Params) {
			continue
		}
		sub := r.h.throughParam(callee.Params[i], r.tensor)
		r.backward = append(r.backward, sub.backward...)
		r.escapes = r.escapes || sub.escapes
		if sub.read != nil {
			r.reads(in)
		}
		if call, ok := in.(*ssa.Call); ok && sub.returned {
			r.follow(call)
		}
	}
}

// ofLibrary reports whether a call is one of a modelled library.
func (e *engine) ofLibrary(c *ssa.CallCommon) bool {
	obj := e.callObject(c)
	return obj != nil && obj.Pkg() != nil && obj.Pkg() != e.pass.Pkg && e.models.Package(obj.Pkg().Path())
}

// borrowsNumbers reports whether a call is one of the standard library, which
// prints or compares what it is given.
func (e *engine) borrowsNumbers(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	return ok && obj.Pkg() != nil && isStd(obj.Pkg().Path()) && !keeper(obj.Pkg().Path())
}
