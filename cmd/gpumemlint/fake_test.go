// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// fake reports calls of functions with certain names: definite, likely and
// possible are findings of that tier of GM101, and with the suffix Leak of
// GM102; hard is a function given up, broken an error, crash a panic.
func fake() *analysis.Analyzer {
	a := &analysis.Analyzer{Name: "fake", Doc: "report calls by name"}
	report.RegisterFlags(&a.Flags)
	a.Run = func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			for _, decl := range file.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if err := fakeFunc(pass, fn); err != nil {
					return nil, err
				}
			}
		}
		return nil, nil
	}
	return a
}

func fakeFunc(pass *analysis.Pass, fn *ast.FuncDecl) error {
	var acquired token.Pos
	var failed error
	ast.Inspect(fn, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		id, ok := call.Fun.(*ast.Ident)
		if !ok {
			return true
		}
		rule, name := "GM101", id.Name
		if s, ok := strings.CutSuffix(name, "Leak"); ok {
			rule, name = "GM102", s
		}
		switch name {
		case "acquire":
			acquired = call.Pos()
		case "definite", "likely", "possible":
			tier, _ := report.ParseTier(name)
			f := report.Finding{
				Rule: rule, Tier: tier, Pos: call.Pos(), End: call.End(), Function: fn.Name.Name,
				Resource: "tensor", Acquired: acquired, Message: "tensor is lost",
			}
			if acquired.IsValid() {
				f.Message = fmt.Sprintf("tensor (line %d) is lost", pass.Fset.Position(acquired).Line)
				f.Trace = []report.Step{{Pos: acquired, Text: "acquired"}, {Pos: call.Pos(), Text: "lost"}}
			}
			if name == "definite" {
				from, to := pass.Fset.Position(call.Pos()), pass.Fset.Position(call.End())
				f.Fixes = []report.Fix{{Message: "Remove the call", Edits: []report.Edit{{File: from.Filename, Start: from.Offset, End: to.Offset}}}}
			}
			report.Report(pass, f)
		case "hard":
			report.Degraded(pass, call.Pos(), fn.Name.Name, "too many paths")
		case "broken":
			failed = fmt.Errorf("cannot analyse %s\nsecond line", fn.Name.Name)
		case "crash":
			crash()
		}
		return true
	})
	return failed
}

// crash panics at a line that stays the same when this file is edited.
//
//line fake.go:1
func crash() {
	var p *int
	*p = 1
}
