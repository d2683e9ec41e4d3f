// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
)

// A Probe asks which tests come by a line.
type Probe struct {
	ID   string // chosen by the caller, unique among the plan's probes and injections
	File string // absolute, or relative to Plan.Dir
	Line int
}

// probes places the plan's probes that lie in a package.
func (b *builder) probes(u *unit) {
	for _, f := range u.files {
		for i := range b.plan.Probes {
			p := &b.plan.Probes[i]
			if b.points[p.ID] || filepath.Clean(b.abs(p.File)) != f.name {
				continue // another file's
			}
			at := b.statementAt(f, p.Line)
			if !at.IsValid() {
				b.work.Skipped[p.ID] = fmt.Sprintf("no statement in %s, line %d", filepath.Base(f.name), p.Line)
				continue
			}
			delete(b.work.Skipped, p.ID)
			f.insert(at, fmt.Sprintf("%s.Hit(%d); ", track, b.newPoint(p.ID, 0).number))
		}
	}
}

// statementAt is where something can be put that is executed before a line:
// before the outermost statement that begins on it, or else the innermost that
// contains it, or else at the beginning of the function.
func (b *builder) statementAt(f *file, line int) token.Pos {
	lineOf := func(p token.Pos) int { return b.fset.PositionFor(p, false).Line }
	within := func(n ast.Node) bool { return lineOf(n.Pos()) <= line && line <= lineOf(n.End()) }
	at, begins := token.NoPos, false
	look := func(list []ast.Stmt) {
		for _, s := range list {
			if begins || !within(s) {
				continue // found, or another line's
			}
			at, begins = s.Pos(), lineOf(s.Pos()) == line
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if n == nil || !within(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				at = n.Body.Lbrace + 1
			}
		case *ast.BlockStmt:
			look(n.List)
		case *ast.CaseClause:
			look(n.Body)
		case *ast.CommClause:
			look(n.Body)
		}
		return true
	})
	return at
}
