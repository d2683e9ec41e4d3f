// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package html

import (
	"go/scanner"
	"go/token"
	"strings"
)

// part is a piece of a line of one colour.
type part struct {
	Class string // k keyword, s string or number, c comment; "" for the rest
	Text  string
}

// highlight cuts a file into lines of parts. Files that are not Go stay plain.
func highlight(name, text string, lines int) [][]part {
	b := &builder{lines: make([][]part, 1, lines)}
	if !strings.HasSuffix(name, ".go") {
		b.add("", text)
		return b.finish()
	}
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(f, []byte(text), nil, scanner.ScanComments) // errors leave plain text
	done := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		class := classOf(tok)
		if class == "" {
			continue // shown with what comes before the next coloured part
		}
		if lit == "" {
			lit = tok.String()
		}
		start := f.Offset(pos)
		// The scanner drops carriage returns in what it returns, so take the
		// source itself as far as it agrees.
		end := min(start+len(lit), len(text))
		if start < done {
			continue // not for sources that the scanner accepts
		}
		b.add("", text[done:start])
		b.add(class, text[start:end])
		done = end
	}
	b.add("", text[done:])
	return b.finish()
}

func classOf(tok token.Token) string {
	switch {
	case tok.IsKeyword():
		return "k"
	case tok == token.COMMENT:
		return "c"
	case tok == token.STRING, tok == token.CHAR, tok == token.INT, tok == token.FLOAT, tok == token.IMAG:
		return "s"
	}
	return ""
}

// builder collects parts line by line.
type builder struct{ lines [][]part }

func (b *builder) add(class, text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.lines = append(b.lines, nil)
		}
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			continue
		}
		last := &b.lines[len(b.lines)-1]
		*last = append(*last, part{class, line})
	}
}

// finish shortens what is too long to show.
func (b *builder) finish() [][]part {
	for i, parts := range b.lines {
		left := maxColumns
		for j := range parts {
			n := len(parts[j].Text)
			if n <= left {
				left -= n
				continue
			}
			if left > 0 {
				parts[j].Text = cutAt(parts[j].Text, left)
				j++
			}
			b.lines[i] = append(parts[:j:j], part{"", "…"})
			break
		}
	}
	return b.lines
}

// cutAt cuts s at a rune's start, at n bytes or before.
func cutAt(s string, n int) string {
	last := 0
	for i := range s {
		if i > n {
			break
		}
		last = i
	}
	return s[:last]
}
