// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package html

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/output"
)

const (
	// wholeFunc is how long a function may be to be shown as a whole.
	wholeFunc = 36
	// around is how many lines above and below a stop are shown of a longer one.
	around = 4
	// maxStops bounds a figure: no path drawn over more lines can be followed by eye.
	maxStops = 60
	// maxColumns is where a line is cut, in characters: generated code has
	// lines of a megabyte.
	maxColumns = 240
)

// figure is one file's part of a path.
type figure struct {
	File string
	Rows []row
	Path drawing
}

// row is a line of source, or a gap between two.
type row struct {
	N     int // line number
	Gap   int // for a gap: how many lines are left out
	Parts []part
	Marks []mark // the stops of the path on this line
}

// mark is a stop of the path.
type mark struct {
	N    int
	Text string
	Last bool // where it ends
}

// file is a source file that was read.
type file struct {
	text  string
	lines []string
	parts [][]part // the lines, highlighted
	funcs []lineRange
}

type lineRange struct{ from, to int }

// sources reads each file once. It is not safe for concurrent use.
type sources struct {
	read  func(string) ([]byte, error)
	files map[string]*file
}

// get returns a file, or nil if it cannot be read.
func (s *sources) get(name string) *file {
	if f, ok := s.files[name]; ok {
		return f
	}
	if s.files == nil {
		s.files = map[string]*file{}
	}
	s.files[name] = nil
	data, err := s.read(name)
	if err != nil {
		return nil
	}
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	f := &file{text: string(data), lines: strings.Split(text, "\n")}
	f.parts = highlight(name, text, len(f.lines))
	if strings.HasSuffix(name, ".go") {
		f.funcs = funcs(text)
	}
	s.files[name] = f
	return f
}

// funcs lists the lines of the declared functions. A file that does not
// parse gives those before the error.
func funcs(text string) []lineRange {
	fset := token.NewFileSet()
	parsed, _ := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if parsed == nil {
		return nil
	}
	var list []lineRange
	for _, decl := range parsed.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		// PositionFor without adjustment: the lines of this file, whatever //line says.
		list = append(list, lineRange{fset.PositionFor(fn.Pos(), false).Line, fset.PositionFor(fn.End(), false).Line})
	}
	return list
}

// around returns which lines to show for a stop at line n.
func (f *file) around(n int) []lineRange {
	near := lineRange{max(n-around, 1), min(n+around, len(f.lines))}
	for _, fn := range f.funcs {
		if n < fn.from || n > fn.to {
			continue
		}
		if fn.to-fn.from < wholeFunc {
			return []lineRange{fn}
		}
		// The head says where we are.
		return []lineRange{{fn.from, fn.from}, {max(near.from, fn.from), min(near.to, fn.to)}}
	}
	return []lineRange{near}
}

// figures returns the source that a path goes over, one figure a file, in the
// order in which the path comes to them.
func figures(f *output.Finding, path []output.Step, src *sources) []figure {
	var names []string
	marks := map[string]map[int][]mark{}
	shown := map[string][]lineRange{}
	for i, s := range path {
		if i >= maxStops {
			break
		}
		text := src.get(s.File)
		if text == nil || s.Line < 1 || s.Line > len(text.lines) {
			continue // gone, or another version than the one analysed
		}
		if marks[s.File] == nil {
			names = append(names, s.File)
			marks[s.File] = map[int][]mark{}
		}
		marks[s.File][s.Line] = append(marks[s.File][s.Line], mark{N: i + 1, Text: s.Text, Last: i == len(path)-1})
		shown[s.File] = append(shown[s.File], text.around(s.Line)...)
	}
	var list []figure
	for _, name := range names {
		g := figure{File: name, Rows: rows(src.get(name), shown[name], marks[name])}
		g.Path = draw(g.Rows)
		list = append(list, g)
	}
	return list
}

// rows lays the ranges out from top to bottom. A gap of one line is no gap.
func rows(f *file, ranges []lineRange, marks map[int][]mark) []row {
	slices.SortFunc(ranges, func(a, b lineRange) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	var list []row
	next := 0 // the first line that is not shown yet
	for _, r := range ranges {
		if next > 0 && r.from == next+1 {
			r.from = next
		}
		if next > 0 && r.from > next {
			list = append(list, row{Gap: r.from - next})
		}
		for n := max(r.from, next); n <= r.to && n <= len(f.lines); n++ {
			list = append(list, row{N: n, Parts: f.parts[n-1], Marks: marks[n]})
			next = n + 1
		}
	}
	return list
}

// A fixView is a suggested change as lines that go and lines that come.
type fixView struct {
	Message string
	Hunks   []hunk
}

type hunk struct {
	File     string
	Line     int
	Old, New []string
}

func fixViews(f *output.Finding, src *sources) []fixView {
	var list []fixView
	for _, fix := range f.Fixes {
		v := fixView{Message: fix.Message}
		for _, e := range fix.Edits {
			if h, ok := newHunk(src.get(e.File), e); ok {
				v.Hunks = append(v.Hunks, h)
			}
		}
		list = append(list, v)
	}
	return list
}

// newHunk widens an edit to whole lines.
func newHunk(f *file, e output.Edit) (hunk, bool) {
	if f == nil || e.Start < 0 || e.End < e.Start || e.End > len(f.text) {
		return hunk{}, false // another version of the file than the one analysed
	}
	from := strings.LastIndexByte(f.text[:e.Start], '\n') + 1
	to := len(f.text)
	if i := strings.IndexByte(f.text[e.End:], '\n'); i >= 0 {
		to = e.End + i
	}
	h := hunk{File: e.File, Line: strings.Count(f.text[:from], "\n") + 1}
	h.Old = cutLines(f.text[from:to])
	h.New = cutLines(f.text[from:e.Start] + e.New + f.text[e.End:to])
	for len(h.Old) > 0 && len(h.New) > 0 && h.Old[0] == h.New[0] {
		h.Old, h.New, h.Line = h.Old[1:], h.New[1:], h.Line+1
	}
	for len(h.Old) > 0 && len(h.New) > 0 && h.Old[len(h.Old)-1] == h.New[len(h.New)-1] {
		h.Old, h.New = h.Old[:len(h.Old)-1], h.New[:len(h.New)-1]
	}
	return h, true
}

func cutLines(s string) []string {
	list := strings.Split(strings.ToValidUTF8(s, "\uFFFD"), "\n")
	for i := range list {
		list[i] = cut(list[i])
	}
	return list
}

// cut shortens a line for display.
func cut(s string) string {
	if len(s) <= maxColumns {
		return s
	}
	n := 0
	for i := range s {
		if n == maxColumns {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
