// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package suppress reads //nolint directives.
//
// go vet has no way to silence a line and golangci-lint has one that Go
// people know, so that one is honoured here too, with the same scope: a
// directive covers the lines that it stands on, and if a statement,
// declaration or file begins on the line below in the same column, all of
// that. Both //nolint:gpumemlint and //nolint:GM101 work, lists of them, and
// the plain //nolint; text after a second // is the reason.
package suppress

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// A Directive is one //nolint comment.
type Directive struct {
	Names  []string // as written but in lower case; empty means every linter
	Reason string   // what follows a second //
	Pos    token.Position
}

// All returns the directives of a file, in order.
func All(fset *token.FileSet, file *ast.File) []Directive {
	var list []Directive
	for _, d := range directives(fset, file) {
		list = append(list, d.Directive)
	}
	return list
}

// Matches reports whether a directive in file silences a finding at pos
// that goes by any of the given names. Names are compared without case.
// Positions follow //line comments, so that a file rewritten by cgo behaves
// as the one that the author wrote.
func Matches(fset *token.FileSet, file *ast.File, pos token.Pos, names ...string) bool {
	return len(Find(fset, file, pos, names...)) > 0
}

// Find returns the directives that silence such a finding.
func Find(fset *token.FileSet, file *ast.File, pos token.Pos, names ...string) []Directive {
	ds := slices.DeleteFunc(directives(fset, file), func(d directive) bool { return !d.covers(names) })
	if len(ds) == 0 {
		return nil // the common case: no walk needed
	}
	at := fset.Position(pos)
	byNode := coveredByNode(fset, file, at, ds)
	var found []Directive
	for i, d := range ds {
		if byNode[i] || d.file == at.Filename && d.from <= at.Line && at.Line <= d.to {
			found = append(found, d.Directive)
		}
	}
	return found
}

// coveredByNode tells of each directive whether the position is inside a node
// that begins right below it, in its column.
func coveredByNode(fset *token.FileSet, file *ast.File, at token.Position, ds []directive) []bool {
	found := make([]bool, len(ds))
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		start := fset.Position(n.Pos())
		for i, d := range ds {
			if d.file != start.Filename || d.to != start.Line-1 || d.column != start.Column {
				continue // the directive does not stand above this node
			}
			if start.Line <= at.Line && at.Line <= fset.Position(n.End()).Line {
				found[i] = true
			}
		}
		return true
	})
	return found
}

// A directive is one with its place. Its lines are those of the whole comment
// group, since gofmt moves directives to the end of a doc comment.
type directive struct {
	Directive
	file     string
	from, to int
	column   int
}

func directives(fset *token.FileSet, file *ast.File) []directive {
	var list []directive
	for _, g := range file.Comments {
		for _, c := range g.List {
			d, ok := parse(c.Text)
			if !ok {
				continue
			}
			start := fset.Position(g.Pos())
			list = append(list, directive{
				Directive: Directive{Names: d.Names, Reason: d.Reason, Pos: fset.Position(c.Pos())},
				file:      start.Filename, from: start.Line, to: fset.Position(g.End()).Line, column: start.Column,
			})
		}
	}
	return list
}

func (d *directive) covers(names []string) bool {
	if len(d.Names) == 0 {
		return true
	}
	for _, n := range names {
		if slices.Contains(d.Names, strings.ToLower(n)) {
			return true
		}
	}
	return false
}

// parse reads the text of a comment. It reports false for a comment that is
// no directive.
func parse(text string) (Directive, bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, "/ "), "nolint")
	if !ok {
		return Directive{}, false
	}
	var d Directive
	rest, reason, _ := strings.Cut(rest, "//")
	d.Reason = strings.TrimSpace(reason)
	if rest == "" || rest[0] == ' ' {
		if d.Reason == "" {
			d.Reason = strings.TrimSpace(rest) // "nolint because"
		}
		return d, true // plain
	}
	list, ok := strings.CutPrefix(rest, ":")
	if !ok {
		return Directive{}, false // another word, as in nolinting
	}
	for item := range strings.SplitSeq(list, ",") {
		name := strings.ToLower(strings.TrimSpace(item))
		if name == "all" {
			d.Names = nil
			return d, true
		}
		if name != "" {
			d.Names = append(d.Names, name)
		}
	}
	return d, len(d.Names) > 0 // "nolint:" names nothing, so it silences nothing
}
