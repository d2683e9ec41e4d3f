// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package sarif

import (
	"os"
	"strings"
	"unicode/utf16"
)

// columns turns Go's columns, which count bytes, into SARIF's, which count
// UTF-16 code units. It reads each file once.
type columns struct {
	files map[string][]string // lines by path; nil for a file that can't be read
}

func newColumns() *columns { return &columns{files: map[string][]string{}} }

// utf16 converts a column, or returns it as it is where the line is not to be
// had: that is right for all but lines with text beyond ASCII.
func (c *columns) utf16(path string, line, column int) int {
	if column <= 1 {
		return column
	}
	lines := c.lines(path)
	if line < 1 || line > len(lines) || column-1 > len(lines[line-1]) {
		return column
	}
	return len(utf16.Encode([]rune(lines[line-1][:column-1]))) + 1
}

// lines returns the lines of a file, none if it cannot be read.
func (c *columns) lines(path string) []string {
	lines, ok := c.files[path]
	if !ok {
		if data, err := os.ReadFile(path); err == nil {
			lines = strings.Split(string(data), "\n")
		}
		c.files[path] = lines
	}
	return lines
}
