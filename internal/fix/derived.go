// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// dependents follows, within one function and the ones that it calls in its own
// package, which values may lead into the memory of a resource: its handle,
// views of it, pointers computed from it. The engine proves that the handle ends
// in the function; that no such value outlives the release is proved here, by
// types and without regard to order, so on the side of offering nothing.
type dependents struct {
	v     *variant
	isSrc func(ast.Expr) bool // the resource itself
	vars  map[types.Object]bool
	bound bool // a C function may have tied it to something from outside
	depth int
}

// maxCallees bounds how far values are followed into callees.
const maxCallees = 2

// dependentsIn follows a resource through a function body.
func (v *variant) dependentsIn(body *ast.BlockStmt, isSrc func(ast.Expr) bool, depth int) *dependents {
	d := &dependents{v: v, isSrc: isSrc, vars: map[types.Object]bool{}, depth: depth}
	for changed := true; changed; {
		changed = false
		mark := func(lhs ast.Expr) {
			root := rootOf(v.info, lhs)
			if ix, ok := ast.Unparen(lhs).(*ast.IndexExpr); ok {
				root = rootOf(v.info, ix.X)
			}
			if root != nil && !d.vars[root] {
				d.vars[root] = true
				changed = true
			}
		}
		ast.Inspect(body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					r := n.Rhs[0]
					if len(n.Rhs) == len(n.Lhs) {
						r = n.Rhs[i]
					}
					if d.leads(r) && mayPoint(v.info.TypeOf(l), 0) {
						mark(l)
					}
				}
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if len(n.Values) == 0 {
						break
					}
					r := n.Values[0]
					if len(n.Values) == len(n.Names) {
						r = n.Values[i]
					}
					if d.leads(r) && mayPoint(v.info.TypeOf(id), 0) {
						mark(id)
					}
				}
			case *ast.CallExpr:
				for _, other := range d.ties(n) {
					if root := rootOf(v.info, other); root == nil || root.Pos() < body.Pos() || root.Pos() > body.End() {
						d.bound = true
					} else if !d.vars[root] {
						d.vars[root] = true
						changed = true
					}
				}
			case *ast.RangeStmt:
				for _, x := range []ast.Expr{n.Key, n.Value} {
					if x != nil && d.leads(n.X) && mayPoint(v.info.TypeOf(x), 0) {
						mark(x)
					}
				}
			}
			return true
		})
	}
	return d
}

// mayPoint reports whether a value of type t can hold an address.
func mayPoint(t types.Type, depth int) bool {
	if t == nil || depth > 4 {
		return true
	}
	if isErrorType(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr || u.Kind() == types.Invalid
	case *types.Struct:
		for i := 0; i < u.NumFields(); i++ {
			if mayPoint(u.Field(i).Type(), depth+1) {
				return true
			}
		}
		return false
	case *types.Slice:
		b, ok := u.Elem().Underlying().(*types.Basic)
		return !ok || b.Info()&types.IsString == 0 // strings are Go's own
	case *types.Array:
		return mayPoint(u.Elem(), depth+1)
	case *types.Tuple:
		for i := 0; i < u.Len(); i++ {
			if mayPoint(u.At(i).Type(), depth+1) {
				return true
			}
		}
		return false
	}
	return true
}

// leads reports whether the value of x may lead into the resource's memory.
func (d *dependents) leads(x ast.Expr) bool {
	if x == nil {
		return false
	}
	if d.isSrc(x) {
		return true
	}
	if !mayPoint(d.v.info.TypeOf(x), 0) {
		return false // a number or a string
	}
	switch x := x.(type) {
	case *ast.Ident:
		return d.vars[d.v.info.ObjectOf(x)]
	case *ast.ParenExpr:
		return d.leads(x.X)
	case *ast.SelectorExpr:
		return d.leads(x.X)
	case *ast.StarExpr:
		return d.leads(x.X)
	case *ast.UnaryExpr:
		return d.leads(x.X)
	case *ast.BinaryExpr:
		return d.leads(x.X) || d.leads(x.Y)
	case *ast.IndexExpr:
		return d.leads(x.X)
	case *ast.SliceExpr:
		return d.leads(x.X)
	case *ast.TypeAssertExpr:
		return d.leads(x.X)
	case *ast.KeyValueExpr:
		return d.leads(x.Value)
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			if d.leads(e) {
				return true
			}
		}
	case *ast.FuncLit:
		return d.captured(x)
	case *ast.CallExpr:
		return d.callLeads(x)
	}
	return false
}

// captured reports whether a function literal refers to the resource.
func (d *dependents) captured(lit *ast.FuncLit) bool {
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			if id, isIdent := x.(*ast.Ident); isIdent && d.vars[d.v.info.ObjectOf(id)] || d.isSrc(x) {
				found = true
			}
		}
		return !found
	})
	return found
}

// callLeads reports whether a call's result may lead into the memory of what it
// is given.
func (d *dependents) callLeads(call *ast.CallExpr) bool {
	given := -1
	args := call.Args
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && d.v.info.Selections[sel] != nil {
		args = append([]ast.Expr{sel.X}, args...)
	}
	for i, a := range args {
		if d.leads(a) {
			given = i
			break
		}
	}
	if given < 0 {
		return false // has never seen it
	}
	if tv := d.v.info.Types[call.Fun]; tv.IsType() {
		return true // a conversion
	}
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && id.Name == "append" && d.v.info.Types[id].IsBuiltin() {
		sl, ok := d.v.info.TypeOf(call).Underlying().(*types.Slice)
		return given == 0 || !ok || mayPoint(sl.Elem(), 0) // numbers are copied
	}
	fn := callee(d.v.info, call)
	if fn == nil {
		return true // a builtin or a function value
	}
	if m := d.v.models().Func(fn); m != nil {
		return !independent(m)
	}
	if fn.Pkg() != nil && d.v.models().Package(fn.Pkg().Path()) && !numbers(d.v.info.TypeOf(call)) {
		return false // its views are in the model
	}
	if copies[fn.Name()] || strings.Contains(fn.Name(), "Clone") || strings.Contains(fn.Name(), "Copy") {
		return false
	}
	if decl := d.v.declOf(fn); decl != nil && decl.Body != nil && d.depth < maxCallees {
		return d.v.returnsPart(decl, given, fn.Signature().Recv() != nil, d.depth+1)
	}
	return true
}

// callee is the function or method that a call names, or nil.
func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	fn, _ := info.Uses[id].(*types.Func)
	return fn
}

// declOf is the declaration of a function of this package, or nil.
func (v *variant) declOf(fn *types.Func) *ast.FuncDecl {
	if fn.Pkg() != v.pkg {
		return nil
	}
	for _, s := range v.files {
		if s.text == nil {
			continue
		}
		for _, d := range s.syntax.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && v.info.Defs[fd.Name] == fn {
				return fd
			}
		}
	}
	return nil
}

// returnsPart reports whether a function may return, or keep, something that
// leads into its argument's memory. The receiver counts as the first argument.
func (v *variant) returnsPart(decl *ast.FuncDecl, arg int, method bool, depth int) bool {
	var names []*ast.Ident
	if method {
		if len(decl.Recv.List[0].Names) == 0 {
			return false // it cannot even name it
		}
		names = append(names, decl.Recv.List[0].Names[0])
	}
	for _, f := range decl.Type.Params.List {
		names = append(names, f.Names...)
	}
	if arg >= len(names) {
		return true // variadic, or without a name: rare
	}
	obj := v.info.Defs[names[arg]]
	d := v.dependentsIn(decl.Body, func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && obj != nil && v.info.ObjectOf(id) == obj
	}, depth)
	return d.escapes(decl.Body, decl.Body)
}

// escapes reports whether something that leads into the resource leaves scope:
// is returned from the function, sent, or put into a variable from outside.
func (d *dependents) escapes(body *ast.BlockStmt, scope ast.Node) bool {
	return d.bound || d.leaks(body, scope, body.End(), true)
}

// leaks is escapes up to a position, with or without what returns hand out.
func (d *dependents) leaks(body *ast.BlockStmt, scope ast.Node, to token.Pos, returns bool) bool {
	out := false
	ast.Inspect(body, func(n ast.Node) bool {
		if out || n != nil && n.Pos() >= to {
			return false
		}
		switch n := n.(type) {
		case *ast.ReturnStmt:
			if !returns {
				break
			}
			for _, r := range n.Results {
				out = out || mayPoint(d.v.info.TypeOf(r), 0) && d.leads(r)
			}
		case *ast.SendStmt:
			out = d.leads(n.Value)
		case *ast.GoStmt:
			for _, a := range n.Call.Args {
				out = out || d.leads(a)
			}
			if lit, ok := n.Call.Fun.(*ast.FuncLit); ok {
				out = out || d.captured(lit)
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				r := n.Rhs[0]
				if len(n.Rhs) == len(n.Lhs) {
					r = n.Rhs[i]
				}
				out = out || mayPoint(d.v.info.TypeOf(l), 0) && d.leads(r) && d.outside(l, scope)
			}
		}
		return !out
	})
	return out
}

// outside reports whether an assignment's left side lives longer than scope.
func (d *dependents) outside(l ast.Expr, scope ast.Node) bool {
	l = ast.Unparen(l)
	if isBlank(l) || d.isSrc(l) {
		return false
	}
	for {
		switch x := l.(type) {
		case *ast.IndexExpr:
			l = ast.Unparen(x.X)
			continue
		case *ast.SelectorExpr:
			if d.v.info.Selections[x] == nil {
				return true // another package's variable
			}
			if isPointer(d.v.info.TypeOf(x.X)) && !d.leads(x.X) {
				return true // through a pointer: where that leads is not followed
			}
			l = ast.Unparen(x.X)
			continue
		case *ast.StarExpr:
			return !d.leads(x.X)
		case *ast.Ident:
			obj := d.v.info.ObjectOf(x)
			return obj == nil || obj.Pos() < scope.Pos() || obj.Pos() > scope.End()
		}
		return true
	}
}
