// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// An editor collects changes of one file. It works in whole lines where it can:
// a patch that adds and takes away lines is one that people can read.
type editor struct {
	s     *source
	fset  *token.FileSet
	edits []report.Edit
	bad   bool // something could not be expressed

	behind map[report.Edit]bool // those that after has made
}

func (s *site) editor() *editor {
	return &editor{s: s.src, fset: s.v.pass.Fset, behind: map[report.Edit]bool{}}
}

// offset is where in the text a position lies.
func (e *editor) offset(pos token.Pos) int {
	return tokenFile(e.fset, e.s.syntax).Offset(pos)
}

// line returns the bounds of the line around an offset, its end without the
// newline.
func (e *editor) line(off int) (start, end int) {
	start = bytes.LastIndexByte(e.s.text[:off], '\n') + 1
	end = len(e.s.text)
	if i := bytes.IndexByte(e.s.text[off:], '\n'); i >= 0 {
		end = off + i
	}
	return start, end
}

// indent is the white space that a line begins with.
func (e *editor) indent(off int) string {
	start, end := e.line(off)
	line := e.s.text[start:end]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// before inserts lines before the line on which a statement begins.
func (e *editor) before(st ast.Node, lines ...string) {
	off := e.offset(st.Pos())
	start, _ := e.line(off)
	if len(bytes.TrimSpace(e.s.text[start:off])) > 0 {
		e.bad = true // something else begins on that line
		return
	}
	e.insert(start, e.indent(off), lines)
}

// after inserts lines after the line on which a statement ends, indented like
// the one on which it begins.
func (e *editor) after(st ast.Node, lines ...string) {
	off := e.offset(st.End())
	_, end := e.line(off)
	rest := bytes.TrimSpace(e.s.text[off:end])
	if len(rest) > 0 && !bytes.HasPrefix(rest, []byte("//")) || end == len(e.s.text) {
		e.bad = true // something else is on that line
		return
	}
	e.insert(end+1, e.indent(e.offset(st.Pos())), lines)
	e.behind[e.edits[len(e.edits)-1]] = true
}

// atEnd inserts lines before the closing brace of a list, or after its last
// statement where there is no brace.
func (e *editor) atEnd(l *stmtList, lines ...string) {
	if len(l.stmts) == 0 {
		e.bad = true
		return
	}
	last := l.stmts[len(l.stmts)-1]
	if terminates(last) {
		e.before(last, lines...)
		return
	}
	e.after(last, lines...)
	if !e.bad {
		delete(e.behind, e.edits[len(e.edits)-1]) // what comes last in the list is the statement then
	}
}

func (e *editor) insert(at int, indent string, lines []string) {
	var b strings.Builder
	for _, l := range lines {
		if l != "" {
			l = indent + l
		}
		b.WriteString(l + "\n")
	}
	e.edits = append(e.edits, report.Edit{File: e.s.name, Start: at, End: at, New: b.String()})
}

// remove takes out the lines of a statement, with a comment behind it. One
// blank line goes too where two would meet.
func (e *editor) remove(st ast.Node) {
	from, to := e.offset(st.Pos()), e.offset(st.End())
	start, _ := e.line(from)
	_, end := e.line(to)
	rest := bytes.TrimSpace(e.s.text[to:end])
	if len(bytes.TrimSpace(e.s.text[start:from])) > 0 || len(rest) > 0 && !bytes.HasPrefix(rest, []byte("//")) || end == len(e.s.text) {
		e.bad = true
		return
	}
	end++
	if e.blankBefore(start) && end < len(e.s.text) {
		if _, next := e.line(end); len(bytes.TrimSpace(e.s.text[end:next])) == 0 || bytes.HasPrefix(bytes.TrimSpace(e.s.text[end:next]), []byte("}")) {
			start = e.previousLine(start)
		}
	}
	e.edits = append(e.edits, report.Edit{File: e.s.name, Start: start, End: end})
}

func (e *editor) previousLine(start int) int {
	prev, _ := e.line(start - 1)
	return prev
}

func (e *editor) blankBefore(start int) bool {
	if start == 0 {
		return false
	}
	prev, end := e.line(start - 1)
	return len(bytes.TrimSpace(e.s.text[prev:end])) == 0
}

// replace puts text in place of a node.
func (e *editor) replace(n ast.Node, text string) {
	e.edits = append(e.edits, report.Edit{File: e.s.name, Start: e.offset(n.Pos()), End: e.offset(n.End()), New: text})
}

// source is the text of a node.
func (e *editor) source(n ast.Node) string {
	return string(e.s.text[e.offset(n.Pos()):e.offset(n.End())])
}

// done returns the edits in order, insertions at one place in the order in
// which they were made, or nil if there are none that can be made.
func (e *editor) done() []report.Edit {
	if e.bad {
		return nil
	}
	slices.SortStableFunc(e.edits, func(a, b report.Edit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End
	})
	for i := 1; i < len(e.edits); i++ {
		if e.edits[i].Start < e.edits[i-1].End {
			return nil // two changes of one place
		}
	}
	return e.edits
}
