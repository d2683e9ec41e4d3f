// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A spot names where a handle lies, for judges that compare handles without
// following one: a register, a variable, or a field below one. Two handles with
// the same spot are the same; with different spots they may be anything.
type spot struct {
	root ssa.Value
	path string
}

func (s spot) known() bool { return s.root != nil }

// covers reports whether what happens to s happens to t: they are the same, or
// one lies inside the other. An owner goes with its parts, and a part stands
// for its owner.
func (s spot) covers(t spot) bool {
	if !s.known() || s.root != t.root {
		return false
	}
	return under(s.path, t.path) || under(t.path, s.path)
}

func under(whole, part string) bool {
	rest, ok := strings.CutPrefix(part, whole)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// spotOf finds the spot of a handle, or of what a pointer points at. An element
// of a container has the spot of the register that it was loaded into: whether
// another load gives the same one cannot be told.
func (h *habits) spotOf(v ssa.Value) spot { return h.spotAt(v, 0) }

const maxSpot = 12

func (h *habits) spotAt(v ssa.Value, depth int) spot {
	if depth > maxSpot {
		return spot{}
	}
	switch v := v.(type) {
	case *ssa.Const:
		return spot{}
	case *ssa.Convert:
		return h.spotAt(v.X, depth+1)
	case *ssa.ChangeType:
		return h.spotAt(v.X, depth+1)
	case *ssa.ChangeInterface:
		return h.spotAt(v.X, depth+1)
	case *ssa.MakeInterface:
		return h.spotAt(v.X, depth+1)
	case *ssa.TypeAssert:
		return h.spotAt(v.X, depth+1)
	case *ssa.Extract:
		if ta, ok := v.Tuple.(*ssa.TypeAssert); ok {
			return h.spotAt(ta.X, depth+1)
		}
		return h.variable(v)
	case *ssa.Call:
		return h.variable(v)
	case *ssa.Phi:
		return h.phiSpot(v, depth)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if s := h.spotAt(v.X, depth+1); s.known() {
				return s
			}
		}
		return spot{root: v} // an element: this register, and no other
	case *ssa.FieldAddr:
		return h.fieldSpot(v.X, fieldName(v.X.Type(), v.Field), depth)
	case *ssa.Field:
		return h.fieldSpot(v.X, fieldName(v.X.Type(), v.Field), depth)
	case *ssa.IndexAddr:
		return spot{}
	case *ssa.Alloc:
		if x := h.onlyValue(v); x != nil {
			return h.spotAt(x, depth+1)
		}
		return spot{root: v}
	case *ssa.FreeVar:
		if x := h.binding(v); x != nil {
			return h.spotAt(x, depth+1)
		}
		return spot{root: v}
	case *ssa.Parameter:
		if x := h.argument(v); x != nil {
			return h.spotAt(x, depth+1)
		}
		return spot{root: v}
	}
	return spot{root: v}
}

// containerOf is the spot of the elements that v is one of, or unknown.
//
//	for i := range s.bufs { s.bufs[i].Free() }
//	for _, b := range s.bufs { b.Free() }
func (h *habits) containerOf(v ssa.Value) spot {
	var x ssa.Value
	switch v := v.(type) {
	case *ssa.IndexAddr:
		x = v.X
	case *ssa.Index:
		x = v.X
	case *ssa.Lookup:
		x = v.X
	case *ssa.Extract:
		if next, ok := v.Tuple.(*ssa.Next); ok {
			if r, ok := next.Iter.(*ssa.Range); ok {
				x = r.X
			}
		}
	case *ssa.UnOp:
		return h.containerOf(v.X)
	case *ssa.Alloc:
		if one := h.onlyValue(v); one != nil {
			return h.containerOf(one)
		}
	case *ssa.MakeInterface:
		return h.containerOf(v.X)
	case *ssa.Convert:
		return h.containerOf(v.X)
	}
	if x == nil {
		return spot{}
	}
	s := h.spotOf(x)
	if s.known() {
		s.path += "[]"
	}
	return s
}

func (h *habits) fieldSpot(x ssa.Value, name string, depth int) spot {
	s := h.spotAt(x, depth+1)
	if s.known() {
		s.path += "." + name
	}
	return s
}

// phiSpot is the spot that all edges agree on, but for nil and zero: the
// variable that a branch has set.
func (h *habits) phiSpot(phi *ssa.Phi, depth int) spot {
	var one spot
	for _, edge := range phi.Edges {
		if _, ok := edge.(*ssa.Const); ok || edge == phi {
			continue
		}
		s := h.spotAt(edge, depth+4) // loops of phis end soon
		if one.known() && s != one {
			return spot{root: phi}
		}
		one = s
	}
	if !one.known() {
		return spot{root: phi}
	}
	return one
}

// variable is the spot of a call's result: the variable it goes to, if its
// other uses go through that variable.
func (h *habits) variable(v ssa.Value) spot {
	var into *ssa.Alloc
	for _, ref := range *v.Referrers() {
		if st, ok := ref.(*ssa.Store); ok && st.Val == v {
			a, isVar := st.Addr.(*ssa.Alloc)
			if !isVar || into != nil {
				return spot{root: v}
			}
			into = a
		}
	}
	if into != nil && h.onlyValue(into) == nil {
		return spot{root: into}
	}
	return spot{root: v}
}

// onlyValue is the one value that a local variable ever holds, or nil: several
// stores, or an address that a call gets, make the variable itself the spot.
func (h *habits) onlyValue(a *ssa.Alloc) ssa.Value {
	if v, ok := h.only[a]; ok {
		return v
	}
	var one ssa.Value
	stores, escapes := 0, false
	var visit func(addr ssa.Value, depth int)
	visit = func(addr ssa.Value, depth int) {
		if depth > 4 || addr.Referrers() == nil {
			escapes = true
			return
		}
		for _, ref := range *addr.Referrers() {
			switch ref := ref.(type) {
			case *ssa.DebugRef:
			case *ssa.UnOp:
			case *ssa.Store:
				if ref.Addr != addr {
					escapes = true
					continue
				}
				stores++
				one = ref.Val
			case *ssa.MakeClosure:
				for i, b := range ref.Bindings {
					if b == addr {
						visit(ref.Fn.(*ssa.Function).FreeVars[i], depth+1)
					}
				}
			default:
				escapes = true // a field, a call
			}
		}
	}
	visit(a, 0)
	if stores != 1 || escapes {
		one = nil
	}
	h.only[a] = one
	return one
}

// binding is what a literal captured as fv.
func (h *habits) binding(fv *ssa.FreeVar) ssa.Value {
	lit := fv.Parent()
	if lit.Parent() == nil {
		return nil
	}
	for _, b := range lit.Parent().Blocks {
		for _, in := range b.Instrs {
			mc, ok := in.(*ssa.MakeClosure)
			if !ok || mc.Fn != ssa.Value(lit) {
				continue
			}
			for i, v := range lit.FreeVars {
				if v == fv {
					return mc.Bindings[i]
				}
			}
		}
	}
	return nil
}

// argument is what a literal that is called, deferred or started where it
// stands gets as p.
func (h *habits) argument(p *ssa.Parameter) ssa.Value {
	lit := p.Parent()
	if lit.Parent() == nil {
		return nil
	}
	for _, b := range lit.Parent().Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok || literalOf(call.Common().Value) != lit {
				continue
			}
			for i, q := range lit.Params {
				if q == p && i < len(call.Common().Args) {
					return call.Common().Args[i]
				}
			}
		}
	}
	return nil
}

// operands are the operands of a call, the receiver first.
func operands(c *ssa.CallCommon) []ssa.Value {
	if c.IsInvoke() {
		return append([]ssa.Value{c.Value}, c.Args...)
	}
	return c.Args
}

// bodyOf is the literal that a call runs, if it runs one: called where it
// stands, or made by cgo for a deferred C call.
//
//	t3 = make closure main$2 [...]
//	t4 = t3()                        returns main$2$1
//	defer t4()
func bodyOf(c *ssa.CallCommon) *ssa.Function {
	if c.IsInvoke() {
		return nil
	}
	if lit := literalOf(c.Value); lit != nil {
		return lit
	}
	if fn, ok := c.Value.(*ssa.Function); ok && fn.Name() == "Do" && len(c.Args) == 2 && fn.Object() != nil && fn.Object().Pkg().Path() == "sync" {
		return literalOf(c.Args[1]) // once.Do(func() { ... })
	}
	call, ok := c.Value.(*ssa.Call)
	if !ok {
		return nil
	}
	maker := literalOf(call.Call.Value)
	if maker == nil {
		return nil
	}
	for _, b := range maker.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(ret.Results) == 1 {
			return literalOf(ret.Results[0])
		}
	}
	return nil
}
