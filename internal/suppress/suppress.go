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

// Matches reports whether a directive in file silences a finding at pos
// that goes by any of the given names. Names are compared without case.
// Positions follow //line comments, so that a file rewritten by cgo behaves
// as the one that the author wrote.
func Matches(fset *token.FileSet, file *ast.File, pos token.Pos, names ...string) bool {
	var ds []directive
	for _, g := range file.Comments {
		for _, c := range g.List {
			if d, ok := parse(c.Text); ok && d.covers(names) {
				d.place(fset, g)
				ds = append(ds, d)
			}
		}
	}
	if len(ds) == 0 {
		return false // the common case: no walk needed
	}
	at := fset.Position(pos)
	for _, d := range ds {
		if d.file == at.Filename && d.from <= at.Line && at.Line <= d.to {
			return true
		}
	}
	return coveredByNode(fset, file, at, ds)
}

// coveredByNode reports whether the position is inside a node that begins
// right below a directive, in the directive's column.
func coveredByNode(fset *token.FileSet, file *ast.File, at token.Position, ds []directive) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || found {
			return false
		}
		start := fset.Position(n.Pos())
		for _, d := range ds {
			if d.file != start.Filename || d.to != start.Line-1 || d.column != start.Column {
				continue // the directive does not stand above this node
			}
			if start.Line <= at.Line && at.Line <= fset.Position(n.End()).Line {
				found = true
			}
		}
		return !found
	})
	return found
}

// A directive is one //nolint comment. Its lines are those of the whole
// comment group, since gofmt moves directives to the end of a doc comment.
type directive struct {
	names    []string // lower case; empty means every linter
	file     string
	from, to int
	column   int
}

func (d *directive) place(fset *token.FileSet, g *ast.CommentGroup) {
	start := fset.Position(g.Pos())
	d.file, d.from, d.column = start.Filename, start.Line, start.Column
	d.to = fset.Position(g.End()).Line
}

func (d *directive) covers(names []string) bool {
	if len(d.names) == 0 {
		return true
	}
	for _, n := range names {
		if slices.Contains(d.names, strings.ToLower(n)) {
			return true
		}
	}
	return false
}

// parse reads the text of a comment. It reports false for a comment that is
// no directive.
func parse(text string) (directive, bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, "/ "), "nolint")
	if !ok {
		return directive{}, false
	}
	if rest == "" || rest[0] == ' ' {
		return directive{}, true // plain: what follows is the reason
	}
	rest, ok = strings.CutPrefix(rest, ":")
	if !ok {
		return directive{}, false // another word, as in nolinting
	}
	list, _, _ := strings.Cut(rest, "//")
	var d directive
	for item := range strings.SplitSeq(list, ",") {
		name := strings.ToLower(strings.TrimSpace(item))
		if name == "all" {
			return directive{}, true
		}
		if name != "" {
			d.names = append(d.names, name)
		}
	}
	if len(d.names) == 0 {
		return directive{}, false // "nolint:" names nothing, so it silences nothing
	}
	return d, true
}
