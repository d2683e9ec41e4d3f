// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// ends reports whether control never comes out at the end of a block.
func ends(b *ast.BlockStmt) bool {
	return len(b.List) > 0 && terminates(b.List[len(b.List)-1])
}

// terminates reports whether control never goes on behind a statement. It is
// the language's notion but for calls that are known not to come back.
func terminates(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return st.Tok != token.FALLTHROUGH
	case *ast.BlockStmt:
		return ends(st)
	case *ast.IfStmt:
		return st.Else != nil && ends(st.Body) && terminates(st.Else)
	case *ast.ForStmt:
		return st.Cond == nil && !leaves(st.Body)
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			return fun.Name == "panic"
		case *ast.SelectorExpr:
			return noReturnNames[fun.Sel.Name]
		}
	}
	return false
}

// noReturnNames end the process, the goroutine or the test in every library
// that has them.
var noReturnNames = map[string]bool{
	"Fatal": true, "Fatalf": true, "Fatalln": true, "FailNow": true, "Skip": true, "Skipf": true, "SkipNow": true,
	"Exit": true, "Goexit": true, "Panic": true, "Panicf": true, "Panicln": true,
}

// leaves reports whether a statement contains a return or a jump, not counting
// those of function literals in it.
func leaves(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.BranchStmt:
			found = true
		}
		return !found
	})
	return found
}

// within reports whether inner is part of outer.
func within(outer, inner ast.Node) bool {
	if outer == nil || isNilNode(outer) {
		return false
	}
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}

func isNilNode(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n == nil
	case *ast.ReturnStmt:
		return n == nil
	}
	return false
}

// mentions reports whether a variable occurs in n.
func mentions(info *types.Info, n ast.Node, obj types.Object) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && info.ObjectOf(id) == obj {
			found = true
		}
		return !found
	})
	return found
}

// rootOf is the variable that x.f.g begins with.
func rootOf(info *types.Info, x ast.Expr) types.Object {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.Ident:
			return info.ObjectOf(y)
		case *ast.SelectorExpr:
			x = y.X
		default:
			return nil
		}
	}
}

// sameName reports whether two plain operands name the same variable or field.
func sameName(info *types.Info, a, b ast.Expr) bool {
	a, b = ast.Unparen(a), ast.Unparen(b)
	switch x := a.(type) {
	case *ast.Ident:
		y, ok := b.(*ast.Ident)
		return ok && info.ObjectOf(x) != nil && info.ObjectOf(x) == info.ObjectOf(y)
	case *ast.SelectorExpr:
		y, ok := b.(*ast.SelectorExpr)
		return ok && x.Sel.Name == y.Sel.Name && sameName(info, x.X, y.X)
	}
	return false
}

// nameText writes a plain operand.
func nameText(x ast.Expr) string {
	switch y := ast.Unparen(x).(type) {
	case *ast.Ident:
		return y.Name
	case *ast.SelectorExpr:
		return nameText(y.X) + "." + y.Sel.Name
	}
	return ""
}

func isNil(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && id.Name == "nil"
}

func isErrorType(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

func isBool(t types.Type) bool {
	b, ok := underlying(t).(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// isStatusType reports whether t can be a status code: a named integer, as
// every C int is.
func isStatusType(t types.Type) bool {
	b, ok := underlying(t).(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return false
	}
	_, alias := t.(*types.Alias)
	_, named := types.Unalias(t).(*types.Named)
	return alias || named || b.Kind() == types.Uint32 || b.Kind() == types.Int32
}

func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// isBlank reports whether x is the blank identifier.
func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// lowerFirst makes a name of a word: Mat → mat, NSString → nsString, VM → vm.
func lowerFirst(word string) string {
	n := 0
	for n < len(word) && 'A' <= word[n] && word[n] <= 'Z' {
		n++
	}
	if n > 1 && n < len(word) {
		n-- // the last capital begins the next word
	}
	return strings.ToLower(word[:n]) + word[n:]
}

// freshName makes a name that means nothing yet anywhere in a function, nor does
// in another fix of it.
func freshName(v *variant, fn ast.Node, wish string) string {
	used := map[string]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	in := v.funcAt(fn.Pos())
	if v.names[in] == nil {
		v.names[in] = map[string]int{}
	}
	wish = lowerFirst(wish)
	for i := 1; i < 10; i++ {
		name := wish
		if i > 1 {
			name += strconv.Itoa(i)
		}
		if used[name] || token.IsKeyword(name) || types.Universe.Lookup(name) != nil || v.pkg.Scope().Lookup(name) != nil {
			continue
		}
		if owner, taken := v.names[in][name]; taken && owner != v.owner {
			continue
		}
		v.names[in][name] = v.owner
		return name
	}
	return ""
}

// pathTo finds the innermost node that passes and returns it with what is around
// it, from the inside out, or nil. Unlike astutil's search by position it does
// not mind names that cgo made longer than their text.
func pathTo(root ast.Node, pass func(ast.Node) bool) []ast.Node {
	var stack, found []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if pass(n) {
			found = slices.Clone(stack)
		}
		return true
	})
	slices.Reverse(found)
	return found
}
