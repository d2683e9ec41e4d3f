// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// A given is a handle that a function releases and did not acquire: an
// argument, a field, what another function lent. Its afterlife run begins
// where the function gets hold of it.
type given struct {
	at   ssa.Value // the parameter, load or call
	name string    // how the source calls it
	from string    // the call that lent it, or ""
	pos  token.Pos

	inferred bool // lent by what its code does, not by its model
}

// givens lists what fn releases without having acquired it, where something
// can still touch it afterwards, and what it borrows.
func (e *engine) givens(fn *ssa.Function) []given {
	var list []given
	seen := map[ssa.Value]bool{}
	leasing := 0 // not known yet
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			for _, arg := range e.releasedArgs(unwrapC(call)) {
				list = e.addGivens(list, fn, call, arg, seen, &leasing)
			}
		}
	}
	return list
}

// addGivens adds what a released operand may be: one handle, or one of several
// where paths meet.
func (e *engine) addGivens(list []given, fn *ssa.Function, call ssa.CallInstruction, arg ssa.Value, seen map[ssa.Value]bool, leasing *int) []given {
	for _, at := range e.origins(arg) {
		if seen[at] {
			continue
		}
		g := given{at: at, name: originName(arg), pos: at.Pos()}
		if c := originCall(at); c != nil {
			g.inferred = e.callModel(&c.Call) == nil
			if g.from = e.lender(c, at); g.from == "" && e.acquires(c) {
				continue // has a run of its own
			}
			g.pos = e.callPos(c)
		}
		if g.from == "" && !e.touchedLater(call, at) {
			if *leasing == 0 {
				*leasing = e.leasing(fn)
			}
			if *leasing < 0 {
				continue // nothing can name it, or lean on it, once it is released
			}
		}
		seen[at] = true
		list = append(list, g)
	}
	return list
}

// origins are the origins of an operand, those of all paths where it is a phi.
func (e *engine) origins(v ssa.Value) []ssa.Value {
	phi, ok := v.(*ssa.Phi)
	if !ok {
		if at := e.origin(v, 0); at != nil {
			return []ssa.Value{at}
		}
		return nil
	}
	var list []ssa.Value
	for _, edge := range phi.Edges {
		if at := e.origin(edge, 0); at != nil && at != v {
			list = append(list, at)
		}
	}
	return list
}

func (e *engine) acquires(c *ssa.Call) bool {
	for _, a := range e.acquisitions(&c.Call) {
		if !a.shared {
			return true
		}
	}
	return false
}

// releasedArgs are the operands that a call releases or consumes, by its model,
// its name or its summary.
func (e *engine) releasedArgs(in ssa.CallInstruction) []ssa.Value {
	c := in.Common()
	if m := e.callModel(c); m != nil {
		var list []ssa.Value
		for i := range m.Effects {
			eff := &m.Effects[i]
			if eff.Op != rules.OpRelease && eff.Op != rules.OpConsume || len(eff.Place.Path) > 0 || eff.Partial {
				continue
			}
			if v := placeArg(c, eff.Place); v != nil {
				list = append(list, v)
			}
		}
		return list
	}
	fn := c.StaticCallee()
	if fn == nil || fn.Object() == nil {
		return nil
	}
	if name, ok := cFuncName(fn.Name()); ok {
		if strongRelease(name) && len(c.Args) == 1 {
			return c.Args[:1]
		}
		return nil
	}
	obj, _ := fn.Object().(*types.Func)
	if !e.local(fn) && e.fact(obj) == nil {
		return nil
	}
	var list []ssa.Value
	for i, a := range c.Args {
		if e.classOfType(a.Type()) == nil {
			continue
		}
		eff := e.effect(&invocation{obj: obj, callee: fn, common: c}, i, "")
		if (eff.OK|eff.Err)&bitReleased != 0 {
			list = append(list, a)
		}
	}
	return list
}

func placeArg(c *ssa.CallCommon, p rules.Place) ssa.Value {
	i := -1
	switch p.Kind {
	case rules.PlaceRecv:
		if c.IsInvoke() {
			return c.Value
		}
		i = 0
	case rules.PlaceParam:
		i = p.Index
		if !c.IsInvoke() && c.Signature().Recv() != nil {
			i++
		}
	}
	if i < 0 || i >= len(c.Args) {
		return nil
	}
	return c.Args[i]
}

// origin is the instruction or parameter that a handle comes from, or nil where
// it is put together or one of several.
func (e *engine) origin(v ssa.Value, depth int) ssa.Value {
	if depth > 8 {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return v
	case *ssa.Convert:
		return e.origin(v.X, depth+1)
	case *ssa.ChangeType:
		return e.origin(v.X, depth+1)
	case *ssa.ChangeInterface:
		return e.origin(v.X, depth+1)
	case *ssa.MakeInterface:
		return e.origin(v.X, depth+1)
	case *ssa.Call, *ssa.Extract, *ssa.TypeAssert:
		return v
	case *ssa.Lookup:
		if v.CommaOk {
			return nil
		}
		return v
	case *ssa.FieldAddr:
		return v // a struct-valued handle in a field
	case *ssa.Alloc:
		return e.storedOnce(v, depth)
	case *ssa.FreeVar:
		if b := cgoBinding(v); b != nil {
			return e.origin(b, depth+1)
		}
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return nil
		}
		addr := v.X
		if fv, ok := addr.(*ssa.FreeVar); ok {
			if b := cgoBinding(fv); b != nil {
				addr = b
			}
		}
		switch x := addr.(type) {
		case *ssa.Alloc:
			return e.storedOnce(x, depth)
		case *ssa.FieldAddr, *ssa.Global, *ssa.FreeVar, *ssa.IndexAddr:
			return v
		}
	}
	return nil
}

// storedOnce is the origin of a local variable's only value.
func (e *engine) storedOnce(a *ssa.Alloc, depth int) ssa.Value {
	var val ssa.Value
	for _, ref := range *a.Referrers() {
		st, ok := ref.(*ssa.Store)
		if !ok || st.Addr != a {
			continue
		}
		if val != nil {
			return nil
		}
		val = st.Val
	}
	if val == nil {
		return nil
	}
	return e.origin(val, depth+1)
}

func originCall(v ssa.Value) *ssa.Call {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	c, _ := v.(*ssa.Call)
	return c
}

// lender is the name of the function that lent the handle, if its model or its
// summary says so.
func (e *engine) lender(c *ssa.Call, at ssa.Value) string {
	i := 0
	if x, ok := at.(*ssa.Extract); ok {
		i = x.Index
	}
	m := e.callModel(&c.Call)
	if m == nil {
		if e.lends(c, i) {
			return e.sourceName(c)
		}
		return ""
	}
	for _, eff := range m.Effects {
		if eff.Op != rules.OpBorrow || eff.Place.Kind != rules.PlaceResult || eff.Place.Index != i || len(eff.Place.Path) > 0 {
			continue
		}
		if eff.When.Kind == rules.CondDefault || eff.When.Kind == rules.CondAlways {
			return e.sourceName(c)
		}
	}
	return ""
}

// originName is how a reader calls the operand of a release.
func originName(v ssa.Value) string {
	for i := 0; i < 8; i++ {
		switch x := v.(type) {
		case *ssa.Parameter:
			return x.Name()
		case *ssa.FreeVar:
			return x.Name()
		case *ssa.Global:
			return x.Name()
		case *ssa.Alloc:
			return x.Comment
		case *ssa.FieldAddr:
			base := originName(x.X)
			if base == "" {
				return fieldName(x.X.Type(), x.Field)
			}
			return base + "." + fieldName(x.X.Type(), x.Field)
		case *ssa.UnOp:
			v = x.X
		case *ssa.Convert:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return debugName(v)
		}
	}
	return ""
}

// debugName is the variable that a value was assigned to.
func debugName(v ssa.Value) string {
	if v.Referrers() == nil {
		return ""
	}
	for _, ref := range *v.Referrers() {
		if d, ok := ref.(*ssa.DebugRef); ok && !d.IsAddr && d.Object() != nil {
			return d.Object().Name()
		}
	}
	return ""
}

// touchedLater reports whether anything that names the handle runs after the
// release: another use of the value, or another load of the same field.
func (e *engine) touchedLater(rel ssa.CallInstruction, at ssa.Value) bool {
	if _, ok := rel.(*ssa.Call); !ok {
		return true // deferred: something may come before
	}
	fn := rel.Parent()
	if at.Parent() != fn {
		return true
	}
	fi := e.info(fn)
	cur, idx := rel.Block(), indexIn(rel.Block(), rel)
	after := func(in ssa.Instruction) bool {
		if _, ok := in.(*ssa.DebugRef); ok {
			return false
		}
		b := in.Block()
		return b.Parent() != fn || fi.behind(cur, idx, b, indexIn(b, in))
	}
	values := []ssa.Value{at}
	if p, ok := at.(*ssa.Parameter); ok {
		for _, ref := range *p.Referrers() {
			if st, ok := ref.(*ssa.Store); ok && st.Val == p {
				if a, ok := st.Addr.(*ssa.Alloc); ok {
					values = append(values, a)
				}
			}
		}
	}
	for _, v := range values {
		for _, ref := range *v.Referrers() {
			if after(ref) {
				return true
			}
			// A copy of it, used later.
			if x, ok := ref.(ssa.Value); ok && x.Referrers() != nil && !isCallValue(x) {
				for _, ref := range *x.Referrers() {
					if after(ref) {
						return true
					}
				}
			}
		}
	}
	field := loadedField(at)
	if field == nil {
		return false
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if fa, ok := in.(*ssa.FieldAddr); ok && fa.Field == field.Field && types.Identical(fa.X.Type(), field.X.Type()) && after(fa) {
				return true
			}
		}
	}
	return false
}

func isCallValue(v ssa.Value) bool {
	_, ok := v.(*ssa.Call)
	return ok
}

func loadedField(v ssa.Value) *ssa.FieldAddr {
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	fa, _ := v.(*ssa.FieldAddr)
	return fa
}

// receive begins a given run once its value is there.
func (r *run) receive(s *state, in ssa.Instruction) {
	v, ok := in.(ssa.Value)
	if !ok || r.given == nil || r.given.at != v || s.status != unborn {
		return
	}
	// Which element of a container it is cannot be told: only the register is
	// the handle then, and not the place.
	switch x := in.(type) {
	case *ssa.FieldAddr:
		l, ok := r.pointee(s, x)
		if !ok || strings.Contains(l.path, "[]") {
			return
		}
		s.mem.set(l, own{})
	case *ssa.UnOp:
		if l, ok := r.pointee(s, x.X); ok && !strings.Contains(l.path, "[]") {
			s.mem.set(l, own{})
		}
		s.env.set(v, own{})
	default:
		s.env.set(v, own{})
	}
	s.status = live
}

// unwrapC is the C call inside the literal that cgo puts around it, or the call
// itself.
//
//	t5 = make closure f$1 [x]
//	t6 = t5()
//
//	f$1: t0 = *x; t1 = _cgoCheckPointer(t0, nil); _Cfunc_cudaFree(t0)
func unwrapC(in ssa.CallInstruction) ssa.CallInstruction {
	mc, ok := in.Common().Value.(*ssa.MakeClosure)
	if !ok {
		return in
	}
	lit := mc.Fn.(*ssa.Function)
	if !isCgoWrapper(lit) {
		return in
	}
	if inner := innerC(lit); inner != nil {
		return inner
	}
	return in
}

// cgoBinding is what a variable that a cgo literal captures is outside, or nil
// for other literals.
func cgoBinding(fv *ssa.FreeVar) ssa.Value {
	lit := fv.Parent()
	if !isCgoWrapper(lit) || lit.Parent() == nil {
		return nil
	}
	for i, v := range lit.FreeVars {
		if v != fv {
			continue
		}
		for _, b := range lit.Parent().Blocks {
			for _, in := range b.Instrs {
				if mc, ok := in.(*ssa.MakeClosure); ok && mc.Fn == lit {
					return mc.Bindings[i]
				}
			}
		}
	}
	return nil
}
