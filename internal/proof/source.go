// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// source is what has to be known of a file's text.
type source struct {
	calls []span // from the first name of a call to its bracket
	loops []span // the bodies of loops
}

type span struct{ from, to int }

// source reads a file once. One that cannot be read has no calls and no loops.
func (c *Case) source(file string) *source {
	if s, ok := c.sources[file]; ok {
		return s
	}
	s := new(source)
	c.sources[file] = s
	src, err := c.o.Read(file)
	if err != nil {
		return s
	}
	fset := token.NewFileSet()
	parsed, _ := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if parsed == nil {
		return s
	}
	line := func(p token.Pos) int { return fset.Position(p).Line }
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			s.calls = append(s.calls, span{line(n.Fun.Pos()), line(n.Lparen)})
		case *ast.ForStmt:
			s.loops = append(s.loops, span{line(n.For), line(n.Body.Rbrace)})
		case *ast.RangeStmt:
			s.loops = append(s.loops, span{line(n.For), line(n.Body.Rbrace)})
		}
		return true
	})
	return s
}

// lines is where a call may be seen in a stack. The compiler gives a call that
// is written over several lines the line of its name or of its bracket.
type lines struct {
	file     string
	from, to int
}

// hit returns the index of the innermost frame at the place, or -1.
func (p lines) hit(stack []track.Frame) int {
	if p.file == "" {
		return -1
	}
	return slices.IndexFunc(stack, func(f track.Frame) bool {
		return f.Line >= p.from && f.Line <= p.to && f.File == p.file
	})
}

// callLines returns the lines of the calls that begin on a line.
func (c *Case) callLines(at Place) lines {
	p := lines{at.File, at.Line, at.Line}
	for _, s := range c.source(at.File).calls {
		if s.from == at.Line {
			p.to = max(p.to, s.to)
		}
	}
	return p
}

// inLoop reports whether a line is in the body of a loop.
func (c *Case) inLoop(at Place) bool {
	return slices.ContainsFunc(c.source(at.File).loops, func(s span) bool { return s.from <= at.Line && at.Line <= s.to })
}
