// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// Error is one problem in a stub file or in a directive.
type Error struct {
	Pos  token.Position
	Got  string // what stands there
	Want string // what was expected instead
}

// Error is the problem in one line: file:line:col: got X, expected Y.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: got %s, expected %s", e.Pos, e.Got, e.Want)
}

// ErrorList is all the problems of one input, in the order of their positions.
type ErrorList []*Error

// Error has one line a problem.
func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Err is l as an error, or nil if l is empty.
func (l ErrorList) Err() error {
	if len(l) == 0 {
		return nil // an empty list in an error interface would not be nil
	}
	return l
}

func (l *ErrorList) add(pos token.Position, got, want string) {
	*l = append(*l, &Error{Pos: pos, Got: got, Want: want})
}

func (l ErrorList) sort() {
	slices.SortStableFunc(l, func(a, b *Error) int {
		if c := strings.Compare(a.Pos.Filename, b.Pos.Filename); c != 0 {
			return c
		}
		return a.Pos.Offset - b.Pos.Offset
	})
}

// addSyntax adds the errors of go/parser, put into our order of words.
func (l *ErrorList) addSyntax(filename string, err error) {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		l.add(token.Position{Filename: filename}, err.Error(), "Go declarations")
		return
	}
	for _, e := range list {
		want, got, ok := strings.Cut(strings.TrimPrefix(e.Msg, "expected "), ", found ")
		if !ok {
			got, want = e.Msg, "a Go declaration"
		}
		l.add(e.Pos, oneLine(got), oneLine(want))
	}
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(s), " ")
}
