// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// eval is what v is on this path.
func (r *run) eval(s *state, v ssa.Value) val {
	if x, ok := s.env.get(v); ok {
		return x
	}
	switch v := v.(type) {
	case *ssa.Const:
		return constVal(v)
	case *ssa.Global:
		return ptr{loc{root: v}}
	case *ssa.Function:
		return &clo{fn: v}
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
		return ptr{loc{root: v}}
	}
	return sym{v: v}
}

// peek evaluates what an instruction that has not run yet would yield: the
// container that a loop loads anew in each iteration.
func (r *run) peek(s *state, v ssa.Value, depth int) val {
	if x, ok := s.env.get(v); ok || depth > 4 {
		if ok {
			return x
		}
		return sym{v: v}
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if l, ok := pointee(r.peek(s, v.X, depth+1)); ok && v.Op == token.MUL {
			return r.load(s, l, v.Type(), v)
		}
	case *ssa.FieldAddr:
		if l, ok := pointee(r.peek(s, v.X, depth+1)); ok {
			return r.address(s, v, l, "."+fieldName(v.X.Type(), v.Field))
		}
	case *ssa.ChangeType:
		return r.peek(s, v.X, depth+1)
	case *ssa.Slice:
		return r.peek(s, v.X, depth+1)
	}
	return r.eval(s, v)
}

// peekInside evaluates an expression of a literal as it would be if the literal
// were called now.
func (r *run) peekInside(s *state, v ssa.Value, lit *ssa.MakeClosure, depth int) val {
	if depth > 6 {
		return sym{v: v}
	}
	switch v := v.(type) {
	case *ssa.FreeVar:
		for i, fv := range v.Parent().FreeVars {
			if fv == v {
				return r.peek(s, lit.Bindings[i], 0)
			}
		}
	case *ssa.UnOp:
		if l, ok := pointee(r.peekInside(s, v.X, lit, depth+1)); ok && v.Op == token.MUL {
			return r.load(s, l, v.Type(), v)
		}
	case *ssa.FieldAddr:
		if l, ok := pointee(r.peekInside(s, v.X, lit, depth+1)); ok {
			return r.address(s, v, l, "."+fieldName(v.X.Type(), v.Field))
		}
	}
	return sym{v: v}
}

// set records a register. Opaque values are their own default.
func (s *state) set(v ssa.Value, x val) {
	if y, ok := x.(sym); ok && y.v == v && y.i == 0 {
		s.env.del(v)
		return
	}
	s.env.set(v, x)
}

// instr executes one instruction. It reports true with the resulting states
// when the path forked or ended.
func (r *run) instr(fr *frame, s *state, in ssa.Instruction) ([]*state, bool) {
	if (fr.fi.inner.has(fr.cur.Index) || fr.depth > 0) && s.facts.len()+s.mem.len() > 0 { // a literal is another one in each call
		if v, ok := in.(ssa.Value); ok {
			if _, ok := in.(*ssa.Alloc); !ok {
				r.redefine(s, v)
			}
		}
	}
	if r.drop != nil && in == r.drop.ev.at && r.dropNow(s, in) {
		return nil, false
	}
	switch in := in.(type) {
	case *ssa.Alloc:
		r.alloc(s, in)
	case *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		r.alloc(s, in.(ssa.Value))
	case *ssa.Store:
		if r.after && r.touches(s, in, in.Addr, in.Val.Type()) {
			return nil, true
		}
		r.store(s, in)
	case *ssa.UnOp:
		return r.unop(fr, s, in)
	case *ssa.BinOp:
		if x := r.binop(s, in); x != nil {
			s.set(in, x)
		}
	case *ssa.FieldAddr:
		if l, ok := r.pointee(s, in.X); ok && s.ownerVar(l, in.X.Type()) {
			// The same where the owner is a struct in a variable: the receiver
			// of func (p pair) Close() { p.a.Close(); p.b.Close() }.
			s.set(in, own{sub: true})
		} else if ok {
			s.set(in, r.address(s, in, l, "."+fieldName(in.X.Type(), in.Field)))
		} else if _, ok := r.eval(s, in.X).(own); ok {
			// &owner.field: whatever is found there is part of the owner.
			s.set(in, own{sub: true})
		} else if x, ok := r.eval(s, in.X).(view); ok {
			s.set(in, x)
		}
	case *ssa.Field:
		switch x := r.eval(s, in.X).(type) {
		case *agg:
			s.set(in, part(x, "."+fieldName(in.X.Type(), in.Field), in))
		case own:
			if carries(in.Type()) {
				s.set(in, own{sub: true})
			}
		case view:
			if carries(in.Type()) {
				s.set(in, x)
			}
		case sym:
			if x.v == nil {
				l := x.l.field("." + fieldName(in.X.Type(), in.Field))
				if !l.deep() {
					s.set(in, r.load(s, l, in.Type(), in))
				}
			}
		}
	case *ssa.IndexAddr:
		r.indexAddr(s, in)
	case *ssa.Index:
		switch x := r.eval(s, in.X).(type) {
		case *agg:
			v := part(x, indexStep(in.Index), in)
			if s.status == live && indexStep(in.Index) == "[]" && s.reach(v) {
				return r.loadVisited(s, in, v)
			}
			s.set(in, v)
		case own:
			s.set(in, own{sub: true})
		}
	case *ssa.Lookup:
		r.lookup(s, in)
	case *ssa.MapUpdate:
		if l, ok := r.pointee(s, in.Map); ok {
			r.put(s, l.field("[]"), r.eval(s, in.Value), in.Pos())
			if k := r.eval(s, in.Key); s.status == live && s.reach(k) {
				s.mem.set(l.field("[]"), k) // a set of handles
			}
		}
	case *ssa.Slice:
		r.slice(s, in)
	case *ssa.Convert:
		if _, leans := r.eval(s, in.X).(view); leans && copies(in) {
			return nil, r.touches(s, in, in.X, in.Type())
		}
		r.pass(s, in, in.X)
	case *ssa.ChangeType:
		r.pass(s, in, in.X)
	case *ssa.ChangeInterface:
		r.pass(s, in, in.X)
	case *ssa.MultiConvert:
		r.pass(s, in, in.X)
	case *ssa.SliceToArrayPointer:
		r.pass(s, in, in.X)
	case *ssa.MakeInterface:
		if x := r.eval(s, in.X); s.reach(x) {
			s.set(in, x)
		} else if _, ok := x.(ptr); ok {
			s.set(in, x)
		} else if _, ok := x.(view); ok {
			s.set(in, x)
		}
	case *ssa.TypeAssert:
		if x := r.eval(s, in.X); s.reach(x) {
			if in.CommaOk {
				s.set(in, &tup{[]val{x, sym{v: in, i: 2}}})
			} else {
				s.set(in, x)
			}
		}
	case *ssa.Extract:
		s.set(in, r.extract(s, in))
	case *ssa.MakeClosure:
		c := &clo{fn: in.Fn.(*ssa.Function)}
		for _, b := range in.Bindings {
			c.b = append(c.b, r.eval(s, b))
		}
		s.set(in, c)
	case *ssa.Range:
		s.set(in, r.eval(s, in.X))
	case *ssa.Next:
		if l, ok := r.pointee(s, in.Iter); ok {
			if x := r.load(s, l.field("[]"), nil, in); s.reach(x) {
				out, forked := r.loadVisited(s, in, &tup{[]val{boolVal(true), sym{v: in, i: 2}, x}})
				if !forked {
					return nil, false
				}
				return out, true
			}
		}
	case *ssa.Send:
		return r.send(fr, s, in.Chan, in.X, in.Pos())
	case *ssa.Select:
		return r.sel(fr, s, in)
	case *ssa.DebugRef:
		r.debugRef(s, in)
	case *ssa.Call:
		return r.call(fr, s, in)
	case *ssa.Defer:
		r.deferCall(s, in)
	case *ssa.Go:
		return r.goCall(fr, s, in)
	case *ssa.RunDefers:
		return r.runDefers(fr, s), true
	case *ssa.Panic:
		return nil, true // implicit and explicit panics owe nothing
	}
	return nil, false
}

// carries reports whether a part of an owner can be a way to its resource. A
// slice of numbers can: unsafe.Slice makes one of C memory.
func carries(t types.Type) bool {
	_, slice := t.Underlying().(*types.Slice)
	return slice || canHold(t, 0) || isFunc(t)
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

func (r *run) alloc(s *state, v ssa.Value) {
	l := loc{root: v}
	s.env.del(v)
	if s.status == live && s.reachLoc(l, map[loc]bool{}) {
		r.age(s, v) // the object of an earlier iteration lives on under an old name
	}
	s.mem.keep(func(m loc, _ val) bool { return m.root != any(v) || m.old })
}

// age renames the object of an earlier iteration.
func (r *run) age(s *state, v ssa.Value) {
	old := func(l loc) loc {
		if l.root == any(v) {
			l.old = true
		}
		return l
	}
	var mem table[loc, val]
	for m, x := range s.mem.all() {
		mem.set(old(m), x)
	}
	s.mem = mem
	s.mapVals(func(x val) val {
		if p, ok := x.(ptr); ok {
			return ptr{old(p.l)}
		}
		return x
	})
}

func (r *run) pointee(s *state, v ssa.Value) (loc, bool) {
	return pointee(r.eval(s, v))
}

func fieldName(t types.Type, i int) string {
	t = t.Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	if st, ok := coreStruct(t); ok && i < st.NumFields() {
		return st.Field(i).Name()
	}
	return strconv.Itoa(i)
}

func coreStruct(t types.Type) (*types.Struct, bool) {
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

// pass makes a conversion transparent where it cannot lose the resource.
func (r *run) pass(s *state, in ssa.Value, from ssa.Value) {
	switch x := r.eval(s, from).(type) {
	case sym:
		if x.v == nil || x.i != 0 || !isBasicNumber(from.Type()) {
			s.set(in, x)
		}
	case intVal, boolVal:
		s.set(in, x)
	default:
		s.set(in, x)
	}
}

func isBasicNumber(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

func (r *run) extract(s *state, in *ssa.Extract) val {
	if t, ok := s.env.at(in.Tuple).(*tup); ok && in.Index < len(t.vs) {
		return t.vs[in.Index]
	}
	return sym{v: in.Tuple, i: in.Index + 1}
}

func (r *run) unop(fr *frame, s *state, in *ssa.UnOp) ([]*state, bool) {
	switch in.Op {
	case token.MUL:
		if r.after && r.touches(s, in, in.X, in.Type()) {
			return nil, true
		}
		switch x := r.eval(s, in.X).(type) {
		case view:
			if carries(in.Type()) {
				s.set(in, x)
			}
		case own:
			if (x.sub || r.after && isBasicNumber(in.Type())) && !carries(in.Type()) {
				return nil, false // a number read through the handle
			}
			s.set(in, x) // *handle, or what an owner's field holds
		case ptr, sym:
			l, _ := pointee(x)
			if g, ok := in.X.(*ssa.Global); ok {
				if _, isFunc := g.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Signature); isFunc {
					return nil, false // a function variable: the call looks at the instruction
				}
			}
			if isSuccessConst(in) {
				s.set(in, intVal("0"))
				return nil, false
			}
			if v, ok := r.justStored(s, in.X, l); ok {
				s.set(in, v)
				return nil, false
			}
			v := r.load(s, l, in.Type(), in)
			if s.status == live && strings.Contains(l.path, "[]") && s.reach(v) {
				return r.loadVisited(s, in, v)
			}
			s.set(in, v)
		}
	case token.NOT:
		if b, ok := r.eval(s, in.X).(boolVal); ok {
			s.set(in, !b)
		}
	case token.ARROW:
		if r.received == in && s.status == unborn {
			s.status = live
			if in.CommaOk {
				s.set(in, &tup{[]val{own{}, boolVal(true)}})
			} else {
				s.set(in, own{})
			}
			return nil, false
		}
		if l, ok := r.pointee(s, in.X); ok {
			if x := r.load(s, l.field("[]"), nil, in); s.reach(x) {
				if in.CommaOk {
					s.set(in, &tup{[]val{x, boolVal(true)}})
				} else {
					s.set(in, x)
				}
			}
		}
	}
	return nil, false
}

// isSuccessConst reports whether in reads a C constant that cgo made a variable
// and that is named like success: static const int cudaSuccess = 0.
//
//	t1 = *_Cvar_cudaSuccess
//	t2 = *t1
func isSuccessConst(in *ssa.UnOp) bool {
	inner, ok := in.X.(*ssa.UnOp)
	if !ok {
		return false
	}
	g, ok := inner.X.(*ssa.Global)
	if !ok || !strings.HasPrefix(g.Name(), "_Cvar_") {
		return false
	}
	name := strings.ToLower(g.Name())
	return strings.HasSuffix(name, "success") || strings.HasSuffix(name, "_ok")
}
