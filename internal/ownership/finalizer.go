// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// final is one call of runtime.SetFinalizer or runtime.AddCleanup.
type final struct {
	call    *ssa.Call
	in      *ssa.Function // the function that it stands in
	cleanup bool          // AddCleanup
	obj     ssa.Value     // what it is set on
	fn      ssa.Value     // what runs; nil where a finalizer is taken off
	arg     ssa.Value     // AddCleanup's
}

func (f *final) api() string {
	if f.cleanup {
		return "cleanup"
	}
	return "finalizer"
}

// finals lists the finalizers and cleanups that the package sets and takes
// off, in source order.
func (e *engine) finals() []*final {
	if e.finalCalls != nil {
		return *e.finalCalls
	}
	list := []*final{}
	if importsRuntime(e.pass.Pkg) {
		for _, fn := range e.funcs {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					if call, ok := in.(*ssa.Call); ok {
						if f := finalOf(call); f != nil {
							f.in = fn
							list = append(list, f)
						}
					}
				}
			}
		}
	}
	e.finalCalls = &list
	return list
}

// importsRuntime keeps packages without finalizers cheap.
func importsRuntime(pkg *types.Package) bool {
	for _, imp := range pkg.Imports() {
		if imp.Path() == "runtime" {
			return true
		}
	}
	return false
}

func finalOf(call *ssa.Call) *final {
	name := runtimeFunc(&call.Call)
	args := call.Call.Args
	switch {
	case name == "SetFinalizer" && len(args) == 2:
		f := &final{call: call, obj: plainValue(args[0])}
		if c, ok := args[1].(*ssa.Const); !ok || c.Value != nil {
			f.fn = plainValue(args[1])
		}
		return f
	case name == "AddCleanup" && len(args) == 3:
		return &final{call: call, cleanup: true, obj: plainValue(args[0]), fn: plainValue(args[1]), arg: args[2]}
	}
	return nil
}

// runtimeFunc is the name of the function of package runtime that a call calls.
func runtimeFunc(c *ssa.CallCommon) string {
	fn := c.StaticCallee()
	if fn == nil {
		return ""
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, _ := fn.Object().(*types.Func)
	if obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != "runtime" {
		return ""
	}
	return obj.Name()
}

// plainValue strips conversions, which change neither object nor function.
func plainValue(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.Convert:
			v = x.X
		default:
			return v
		}
	}
}

// finalVerdicts judges how the package uses finalizers and cleanups.
func (e *engine) finalVerdicts() []Verdict {
	var list []Verdict
	for _, f := range e.finals() {
		if f.fn == nil {
			continue // taken off
		}
		v, ok := e.finalThrows(f)
		if !ok {
			v, ok = e.finalNever(f)
		}
		if !ok {
			v, ok = e.finalEarly(f)
		}
		if ok {
			list = append(list, v)
		}
	}
	list = append(list, e.finalArmed()...)
	list = append(list, e.finalMismatch()...)
	return append(list, e.finalDead()...)
}

func (e *engine) finalVerdict(f *final, kind Kind, tier report.Tier) Verdict {
	c := Class{Name: "final", Noun: f.api(), Verb: "run"}
	pos, end := e.callPos(f.call), e.callEnd(f.call)
	return Verdict{
		Kind: kind, Tier: tier, Pos: pos, End: end, Class: c, Acquired: pos, Function: funcName(f.in), Callee: f.api(), Name: e.nameOf(f.obj),
	}
}

// nameOf is how the source calls a value, or "the object".
func (e *engine) nameOf(v ssa.Value) string {
	switch x := v.(type) {
	case *ssa.Parameter:
		if x.Name() != "" {
			return x.Name()
		}
	case *ssa.Global:
		return x.Name()
	case *ssa.FreeVar:
		return x.Name()
	case *ssa.FieldAddr:
		return e.nameOf(x.X) + "." + fieldName(x.X.Type(), x.Field)
	case *ssa.Alloc:
		if x.Comment != "" && token.IsIdentifier(x.Comment) && x.Comment != "complit" && x.Comment != "new" && x.Comment != "varargs" {
			return x.Comment
		}
	case *ssa.UnOp:
		if x.Op == token.MUL {
			switch x.X.(type) {
			case *ssa.Alloc, *ssa.FreeVar, *ssa.FieldAddr, *ssa.Global:
				return e.nameOf(x.X)
			}
		}
	}
	if v.Referrers() != nil {
		for _, ref := range *v.Referrers() {
			if d, ok := ref.(*ssa.DebugRef); ok && !d.IsAddr {
				if id, ok := d.Expr.(*ast.Ident); ok && id.Name != "_" && !isCgoTemp(id.Name) {
					return id.Name
				}
			}
		}
	}
	return "the object"
}

// finalThrows reports calls that the runtime answers with a fatal error: the
// object is no pointer to the start of Go memory, or the finalizer does not
// take it.
//
//	runtime.SetFinalizer(op, op.free) // free takes nothing
//	runtime.SetFinalizer(&s.buf, free)
//	runtime.SetFinalizer(C.create(), free)
func (e *engine) finalThrows(f *final) (Verdict, bool) {
	if f.cleanup {
		return Verdict{}, false // the compiler checks its types, and any pointer will do
	}
	t := f.obj.Type()
	if types.IsInterface(t) || hasTypeParam(t) {
		return Verdict{}, false // what is in it is not known
	}
	v := e.finalVerdict(f, FinalThrows, report.Definite)
	if _, ok := t.Underlying().(*types.Pointer); !ok {
		v.Failed = "it is no pointer"
		return v, true
	}
	switch x := f.obj.(type) {
	case *ssa.FieldAddr:
		if x.Field > 0 && !e.firstByte(x) {
			v.Failed = "it is a field and not the start of its object"
			return v, true
		}
	case *ssa.IndexAddr:
		if c, ok := x.Index.(*ssa.Const); ok && !zeroConst(c) {
			v.Failed = "it is an element and not the start of its array"
			return v, true
		}
	case *ssa.Call:
		if fromC(x) {
			v.Failed = "it is not in Go's memory"
			return v, true
		}
	}
	sig, ok := f.fn.Type().Underlying().(*types.Signature)
	if !ok {
		if types.IsInterface(f.fn.Type()) {
			return Verdict{}, false
		}
		v.Failed = "the finalizer is no function"
		return v, true
	}
	switch {
	case hasTypeParam(sig):
		return Verdict{}, false
	case sig.Params().Len() != 1 || sig.Variadic():
		v.Failed = "the finalizer does not take the object as its one argument"
		if sig.Params().Len() == 0 && isBound(f.fn) {
			v.Failed = "a method value takes no argument, and would keep the object alive"
		}
		return v, true
	case !types.AssignableTo(f.origType(), sig.Params().At(0).Type()):
		v.Failed = "the finalizer takes a " + types.TypeString(sig.Params().At(0).Type(), types.RelativeTo(e.pass.Pkg))
		return v, true
	}
	return Verdict{}, false
}

// origType is the object's type before conversions were stripped.
func (f *final) origType() types.Type {
	if mi, ok := f.call.Call.Args[0].(*ssa.MakeInterface); ok {
		return mi.X.Type()
	}
	return f.obj.Type()
}

// firstByte reports whether a field begins where its object does.
func (e *engine) firstByte(fa *ssa.FieldAddr) bool {
	st, ok := coreStruct(elem(fa.X.Type()))
	if !ok || hasTypeParam(st) || e.pass.TypesSizes == nil {
		return true // not known
	}
	vars := make([]*types.Var, st.NumFields())
	for i := range vars {
		vars[i] = st.Field(i)
	}
	return e.pass.TypesSizes.Offsetsof(vars)[fa.Field] == 0
}

func hasTypeParam(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Pointer:
		return hasTypeParam(t.Elem())
	case *types.Slice:
		return hasTypeParam(t.Elem())
	case *types.Named:
		for i := range t.TypeArgs().Len() {
			if hasTypeParam(t.TypeArgs().At(i)) {
				return true
			}
		}
		return t.TypeParams().Len() > 0 && t.TypeArgs().Len() == 0
	case *types.Signature:
		for i := range t.Params().Len() {
			if hasTypeParam(t.Params().At(i).Type()) {
				return true
			}
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if hasTypeParam(t.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}

// fromC reports whether a call is one of C's, directly or in cgo's literal.
func fromC(call *ssa.Call) bool {
	fn := call.Call.StaticCallee()
	if fn == nil {
		return false
	}
	if _, ok := cFuncName(fn.Name()); ok {
		return true
	}
	return fn.Object() == nil && isCgoWrapper(fn) && innerC(fn) != nil
}

func isBound(v ssa.Value) bool {
	mc, ok := v.(*ssa.MakeClosure)
	return ok && strings.HasSuffix(mc.Fn.Name(), "$bound")
}

// finalNever reports finalizers that can be reached from nowhere but keep the
// object reachable themselves, so that they never run.
//
//	runtime.AddCleanup(v, func(struct{}) { v.Close() }, struct{}{})
//	runtime.AddCleanup(v, (*handle).free, v.h) // where v.h leads back to v
func (e *engine) finalNever(f *final) (Verdict, bool) {
	if g, ok := f.obj.(*ssa.Global); ok {
		v := e.finalVerdict(f, FinalNever, report.Definite)
		v.Name, v.Failed = g.Name(), "is a package variable, which lives as long as the program"
		return v, true
	}
	back := newBacktrack(f.obj)
	if mc, ok := f.fn.(*ssa.MakeClosure); ok {
		for _, b := range mc.Bindings {
			if back.leads(b, 0) {
				v := e.finalVerdict(f, FinalNever, report.Definite)
				v.Failed = "captures"
				return v, true
			}
		}
	}
	if f.arg != nil && back.leads(f.arg, 0) {
		v := e.finalVerdict(f, FinalNever, report.Definite)
		v.Failed = "has an argument that leads to"
		return v, true
	}
	return Verdict{}, false
}

// backtrack asks whether values lead to one object, as far as the function
// that made them shows: by what is stored where, in any order.
type backtrack struct {
	same map[ssa.Value]bool // the object, and variables that hold it
	seen map[ssa.Value]bool
}

func newBacktrack(obj ssa.Value) *backtrack {
	b := &backtrack{same: map[ssa.Value]bool{obj: true}, seen: map[ssa.Value]bool{}}
	if load, ok := obj.(*ssa.UnOp); ok && load.Op == token.MUL {
		switch load.X.(type) {
		case *ssa.Alloc, *ssa.FreeVar:
			b.same[load.X] = true // a variable that a literal shares
		}
	}
	if obj.Referrers() != nil {
		for _, ref := range *obj.Referrers() {
			if st, ok := ref.(*ssa.Store); ok && st.Val == obj {
				if cell, ok := st.Addr.(*ssa.Alloc); ok {
					b.same[cell] = true
				}
			}
		}
	}
	return b
}

// leads reports whether what v points at, or holds, leads to the object.
func (b *backtrack) leads(v ssa.Value, depth int) bool {
	if b.same[v] {
		return true
	}
	if b.seen[v] || depth > 8 {
		return false
	}
	b.seen[v] = true
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return b.leads(v.X, depth+1)
	case *ssa.ChangeType:
		return b.leads(v.X, depth+1)
	case *ssa.ChangeInterface:
		return b.leads(v.X, depth+1)
	case *ssa.Convert:
		if n, ok := v.Type().Underlying().(*types.Basic); ok && n.Kind() == types.Uintptr {
			return false // an address as a number keeps nothing alive
		}
		return b.leads(v.X, depth+1)
	case *ssa.MakeClosure:
		for _, x := range v.Bindings {
			if b.leads(x, depth+1) {
				return true
			}
		}
	case *ssa.FieldAddr:
		return b.leads(v.X, depth+1) || b.storedIn(v, depth) // an interior pointer
	case *ssa.IndexAddr:
		return b.leads(v.X, depth+1)
	case *ssa.Slice:
		return b.leads(v.X, depth+1)
	case *ssa.Alloc:
		return b.storedIn(v, depth)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return b.loaded(v, depth)
		}
	case *ssa.Phi:
		for _, x := range v.Edges {
			if b.leads(x, depth+1) {
				return true
			}
		}
	}
	return false
}

// storedIn reports whether something that leads to the object is stored at an
// address or below it.
func (b *backtrack) storedIn(addr ssa.Value, depth int) bool {
	if depth > 8 || addr.Referrers() == nil {
		return false
	}
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == addr && b.leads(ref.Val, depth+1) {
				return true
			}
		case *ssa.FieldAddr:
			if ref.X == addr && !b.seen[ref] && b.storedIn(ref, depth+1) {
				return true
			}
		case *ssa.IndexAddr:
			if ref.X == addr && b.storedIn(ref, depth+1) {
				return true
			}
		}
	}
	return false
}

// loaded follows a load: a variable's content, or what was put into the same
// field of the same object.
func (b *backtrack) loaded(load *ssa.UnOp, depth int) bool {
	switch x := load.X.(type) {
	case *ssa.Alloc:
		return b.storedIn(x, depth+1)
	case *ssa.FieldAddr:
		if x.X.Referrers() == nil {
			return false
		}
		for _, ref := range *x.X.Referrers() {
			if other, ok := ref.(*ssa.FieldAddr); ok && other.Field == x.Field && b.holdsBack(other, depth) {
				return true
			}
		}
	}
	return false
}

// holdsBack reports whether the object that was put into a field points back:
//
//	h := &handle{owner: v}
//	v.h = h
func (b *backtrack) holdsBack(fa *ssa.FieldAddr, depth int) bool {
	for _, ref := range *fa.Referrers() {
		if st, ok := ref.(*ssa.Store); ok && st.Addr == fa && b.leads(st.Val, depth+1) {
			return true
		}
	}
	return false
}

// finalEarly reports finalizers that are set on a variable instead of on the
// object: the variable dies with the function, and the object's handle is
// freed while it is in use.
//
//	runtime.AddCleanup(&t, free, t.ptr) // t is a pointer: &t is the variable
//	t := T{ptr: p}
//	runtime.SetFinalizer(&t, free)
//	return t // a copy
func (e *engine) finalEarly(f *final) (Verdict, bool) {
	cell, ok := f.obj.(*ssa.Alloc)
	if !ok || !token.IsIdentifier(cell.Comment) || cell.Comment == "complit" || cell.Comment == "new" {
		return Verdict{}, false // not a variable
	}
	copied := false
	for _, ref := range *cell.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr != cell {
				return Verdict{}, false // its address is kept: the variable is the object
			}
		case *ssa.UnOp:
			copied = copied || leavesFunction(ref)
		case *ssa.FieldAddr:
			if !onlyAccessed(ref) {
				return Verdict{}, false
			}
		case *ssa.MakeInterface:
			for _, use := range *ref.Referrers() {
				if c, ok := use.(*ssa.Call); !ok || runtimeFunc(&c.Call) == "" {
					return Verdict{}, false
				}
			}
		case *ssa.Call:
			if runtimeFunc(&ref.Call) == "" {
				return Verdict{}, false // a method, which may keep it
			}
		case *ssa.DebugRef:
		default:
			return Verdict{}, false // captured, returned, converted: it may live on
		}
	}
	if !copied {
		return Verdict{}, false
	}
	v := e.finalVerdict(f, FinalEarly, report.Definite)
	v.Name = cell.Comment
	v.Nil = isPointer(cell.Type().Underlying().(*types.Pointer).Elem())
	return v, true
}

// leavesFunction reports whether a value is returned, stored or passed on: it
// lives on without the variable that it was read from.
func leavesFunction(v ssa.Value) bool {
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Return, *ssa.MapUpdate, *ssa.Send, *ssa.MakeInterface:
			return true
		case *ssa.Store:
			if ref.Val == v {
				return true
			}
		}
	}
	if p, ok := v.(*ssa.UnOp); ok {
		cell, ok := p.X.(*ssa.Alloc)
		if !ok {
			return false
		}
		for _, ref := range *cell.Referrers() {
			if st, ok := ref.(*ssa.Store); ok && st.Addr == cell {
				if _, param := st.Val.(*ssa.Parameter); param {
					return isPointer(st.Val.Type()) // the caller has the object
				}
			}
		}
	}
	return false
}

// onlyAccessed reports whether a field's address is only loaded from and
// stored to.
func onlyAccessed(fa *ssa.FieldAddr) bool {
	for _, ref := range *fa.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr != fa {
				return false
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}
