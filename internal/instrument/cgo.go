// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/gpumemlint/gpumemlint/rules"
)

// rawCalls rewrites the calls of C functions that have a model. The callee is
// replaced by a literal with the same parameters, which holds in every place
// that a call can stand in: in an expression, behind defer and go, and where cgo
// is asked for errno as a second result.
func (b *builder) rawCalls(u *unit) {
	u.device = b.releasesDevice(u)
	for _, f := range u.files {
		if !importsC(f.syntax) {
			continue
		}
		two := errnoCalls(f.syntax)
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := cCallee(call.Fun); ok && u.c[name] != nil {
				b.rawCall(u, f, call, name, two[call])
			}
			return true
		})
	}
}

// rawCall rewrites a call of a C function, if there is anything to tell of it or
// it is to fail.
func (b *builder) rawCall(u *unit, f *file, call *ast.CallExpr, name string, errno bool) {
	c := u.c[name]
	points := b.pointsAt(f, call, name)
	s := b.cSpec(u, name, c)
	if s == nil && len(points) == 0 {
		return // C like any other
	}
	var params, names, outs, results []string
	for i, t := range c.params {
		names = append(names, fmt.Sprintf("p%d", i))
		params = append(params, fmt.Sprintf("p%d %s", i, t))
	}
	if c.result != "" || errno {
		result := c.result
		if result == "" {
			result = cVoidType
		}
		results = append(results, "r0 "+result)
		outs = append(outs, "r0")
	}
	if errno {
		results = append(results, "r1 error")
		outs = append(outs, "r1")
	}
	var text strings.Builder
	fmt.Fprintf(&text, "func(%s) (%s) { ", strings.Join(params, ", "), strings.Join(results, ", "))
	for _, point := range points {
		fmt.Fprintf(&text, "if %s.Fail(%d, %d%s) { return }; ", track, point.number, point.success, addresses(outs, ", "))
	}
	if s != nil {
		fmt.Fprintf(&text, "gpumemtrackC := %s.F(%d", track, b.cNumber(u, name, s))
		for _, in := range s.ins {
			fmt.Fprintf(&text, ", p%d", in)
		}
		text.WriteString("); ")
	}
	if len(outs) > 0 {
		text.WriteString(strings.Join(outs, ", ") + " = ")
	}
	fmt.Fprintf(&text, "C.%s(%s); ", name, strings.Join(names, ", "))
	if s != nil {
		fmt.Fprintf(&text, "gpumemtrackC.Out(%s); ", addresses(outs, ""))
	}
	text.WriteString("return }")
	f.replace(call.Fun.Pos(), call.Fun.End(), text.String())
}

// addresses lists &name, each with a comma before it; lead is the first comma.
func addresses(names []string, lead string) string {
	var list []string
	for _, n := range names {
		list = append(list, "&"+n)
	}
	if len(list) == 0 {
		return ""
	}
	return lead + strings.Join(list, ", ")
}

// cCallee is the name of the C function that is called: C.name.
func cCallee(fun ast.Expr) (string, bool) {
	sel, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	if id, ok := sel.X.(*ast.Ident); !ok || id.Name != "C" {
		return "", false
	}
	return sel.Sel.Name, true
}

func importsC(f *ast.File) bool {
	for _, imp := range f.Imports {
		if imp.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

// errnoCalls are the calls that cgo gives a second result, errno as an error.
func errnoCalls(f *ast.File) map[*ast.CallExpr]bool {
	list := map[*ast.CallExpr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		var values []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) == 2 {
				values = n.Rhs
			}
		case *ast.ValueSpec:
			if len(n.Names) == 2 {
				values = n.Values
			}
		}
		if len(values) == 1 {
			if call, ok := values[0].(*ast.CallExpr); ok {
				list[call] = true
			}
		}
		return true
	})
	return list
}

// statusOf is the value of a call's last result that means success, for an
// injected failure to be another one.
func statusOf(m *rules.Func) int64 {
	if m != nil && m.Success == rules.SuccessStatus {
		return m.StatusValue
	}
	return 0
}
