// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
)

// closers are the names of methods that end an object's life.
var closers = map[string]bool{
	"Close": true, "Free": true, "Release": true, "Destroy": true, "Dispose": true, "Unload": true, "Shutdown": true,
	"Delete": true, "Drop": true, "Finalize": true, "Stop": true, "close": true, "free": true, "release": true, "destroy": true, "dispose": true,
}

// missingField releases a field in the method that ends the object's life and
// has forgotten it. A type without such a method gets none: whether callers
// would call it is theirs to say.
func (v *variant) missingField(verdict ownership.Verdict) []candidate {
	typeName, field, ok := strings.Cut(verdict.Name, ".")
	if !ok || strings.ContainsAny(field, ".[") {
		return nil // deeper than a field
	}
	tn, ok := v.pkg.Scope().Lookup(typeName).(*types.TypeName)
	if !ok {
		return nil
	}
	named, ok := tn.Type().(*types.Named)
	if !ok {
		return nil
	}
	var list []candidate
	for i := 0; i < named.NumMethods(); i++ {
		m := named.Method(i)
		decl := v.declOf(m)
		if !closers[m.Name()] || decl == nil || m.Signature().Params().Len() > 0 {
			continue
		}
		list = append(list, v.releaseIn(verdict, decl, field)...)
	}
	return list
}

// releaseIn adds the release of a field to the end of a method.
func (v *variant) releaseIn(verdict ownership.Verdict, decl *ast.FuncDecl, field string) []candidate {
	if len(decl.Recv.List[0].Names) == 0 || len(decl.Body.List) == 0 {
		return nil // it cannot name the object
	}
	recv := decl.Recv.List[0].Names[0]
	if recv.Name == "_" {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(v.info.TypeOf(recv), true, v.pkg, field)
	f, ok := obj.(*types.Var)
	if !ok {
		return nil
	}
	outs, plain := waysOut(decl.Body.List)
	last := decl.Body.List[len(decl.Body.List)-1]
	if !plain || len(outs) > 1 || len(outs) == 1 && outs[0] != last {
		return nil // an early return, which may well be on purpose
	}
	src := v.file(decl.Pos())
	s := &site{
		v: v, src: src, verdict: verdict, body: decl.Body, decl: decl.Type,
		call: &ast.CallExpr{Fun: recv}, list: &stmtList{decl.Body, decl.Body.List, decl.Body.Rbrace},
	}
	name := recv.Name + "." + field
	var list []candidate
	for _, r := range s.releasesOf(f.Type(), verdict.Class) {
		if r.fails && (s.joinsErrors() || decl.Type.Results != nil) {
			continue // the method hands errors on
		}
		guard := nilGuard(f.Type(), name, r)
		if guard == "" {
			if _, isStruct := f.Type().Underlying().(*types.Struct); !isStruct {
				continue
			}
			guard = "always"
		}
		lines := []string{r.write(name)}
		if guard != "always" {
			lines = []string{"if " + guard + " {", "\t" + r.write(name), "}"}
		}
		ways := [][]string{lines}
		if isPointerLike(f.Type()) {
			// Where a second call of the method must find nothing left.
			ways = append(ways, appendInside(lines, name+" = nil"))
			if clears(decl.Body) {
				ways[0], ways[1] = ways[1], ways[0] // as it does with the others
			}
		}
		for _, lines := range ways {
			e := s.editor()
			e.atEnd(s.list, lines...)
			if c := s.candidate(e, r, "call "+r.verb+" on "+name+" in "+decl.Name.Name); c != nil {
				c.in = "(" + types.ExprString(decl.Recv.List[0].Type) + ")." + decl.Name.Name
				list = append(list, *c)
			}
		}
	}
	return list
}

// clears reports whether a method sets fields to nil.
func clears(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		as, ok := n.(*ast.AssignStmt)
		if ok && len(as.Lhs) == 1 && len(as.Rhs) == 1 && isNil(as.Rhs[0]) {
			_, field := as.Lhs[0].(*ast.SelectorExpr)
			found = found || field
		}
		return !found
	})
	return found
}
