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
