// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// track is the name that rewritten files import the ledger under. Names that
// begin with it are ours.
const track = "gpumemtrack"

// A file is a source file with the changes to be made to it. No change adds or
// removes a line, so that positions stay the user's.
type file struct {
	name   string
	src    []byte
	syntax *ast.File
	tok    *token.File
	edits  []edit

	old    bool                           // its module's go line knows no type parameters
	raise  bool                           // something that was put in needs them
	wanted map[*ast.CallExpr][]*Injection // calls that are to fail
	named  map[*ast.FieldList]bool        // parameter lists whose entries have names now
}

// An edit replaces the bytes from start up to end. Of the insertions at one
// place, ends of inner things come before ends of outer ones, then beginnings
// of outer things before beginnings of inner ones: rank says which.
type edit struct {
	start, end int
	text       string
	rank       int
}

func (f *file) offset(pos token.Pos) int { return f.tok.Offset(pos) }

// insert puts text before what stands at pos.
func (f *file) insert(pos token.Pos, text string) {
	f.edits = append(f.edits, edit{start: f.offset(pos), end: f.offset(pos), text: text})
}

// replace puts text in the place of a piece of source.
func (f *file) replace(from, to token.Pos, text string) {
	f.edits = append(f.edits, edit{start: f.offset(from), end: f.offset(to), text: text})
}

// wrap puts text around a piece of source.
func (f *file) wrap(from, to token.Pos, before, after string) {
	start, end := f.offset(from), f.offset(to)
	f.edits = append(f.edits,
		edit{start: start, end: start, text: before, rank: 1 - (end - start)},
		edit{start: end, end: end, text: after, rank: (end - start) - 1<<30})
}

// text is the source of a node.
func (f *file) text(from, to token.Pos) string { return string(f.src[f.offset(from):f.offset(to)]) }

// raised is the build constraint that lets a file use type parameters although
// its module's go line is older.
const raised = "go1.21"

// rewritten is the source with all changes made, and the ledger imported.
func (f *file) rewritten(importPath string) []byte {
	edits := append(slices.Clone(f.edits), edit{
		start: f.offset(f.syntax.Name.End()), end: f.offset(f.syntax.Name.End()),
		text: "; import " + track + " " + strconv.Quote(importPath),
	})
	if f.old && f.raise {
		edits = append(edits, f.constraint())
	}
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.rank, b.rank))
	})
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue // lies in what another edit has replaced
		}
		out.Write(f.src[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.Write(f.src[at:])
	return out.Bytes()
}

// constraint raises the language version: in the file's own constraint, or in
// one above the file, whose lines keep their numbers by a line directive.
func (f *file) constraint() edit {
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			expr, ok := strings.CutPrefix(c.Text, "//go:build ")
			if ok && c.Pos() < f.syntax.Package {
				return edit{start: f.offset(c.Pos()), end: f.offset(c.End()), text: "//go:build (" + strings.TrimSpace(expr) + ") && " + raised}
			}
		}
	}
	return edit{text: "//go:build " + raised + "\n//line " + f.name + ":1\n"}
}
