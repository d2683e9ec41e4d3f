// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package sarif

import (
	"unicode/utf16"

	"github.com/gpumemlint/gpumemlint/internal/output"
)

// newFixes turns the fixes of a finding into changes of files, those of one file
// together. A fix of a file that cannot be read is left out: where its edits are
// is known in bytes, and viewers want lines.
func newFixes(f *output.Finding, cols *columns) []fix {
	var list []fix
next:
	for _, x := range f.Fixes {
		out := fix{Description: text{Text: x.Message}}
		for _, e := range x.Edits {
			start, ok1 := cols.position(e.Path, e.Start)
			end, ok2 := cols.position(e.Path, e.End)
			if !ok1 || !ok2 {
				continue next
			}
			r := replacement{Deleted: region{StartLine: start.line, StartColumn: start.column, EndLine: end.line, EndColumn: end.column}}
			if e.New != "" {
				r.Inserted = &content{e.New}
			}
			at := artifact(e.File)
			if n := len(out.Changes); n > 0 && out.Changes[n-1].Artifact == at {
				out.Changes[n-1].Replacements = append(out.Changes[n-1].Replacements, r)
				continue
			}
			out.Changes = append(out.Changes, artifactChange{Artifact: at, Replacements: []replacement{r}})
		}
		if len(out.Changes) > 0 {
			list = append(list, out)
		}
	}
	return list
}

// A place is a line and a column in UTF-16 code units, both from 1.
type place struct{ line, column int }

// position finds a byte offset in a file.
func (c *columns) position(path string, offset int) (place, bool) {
	for i, l := range c.lines(path) {
		if offset <= len(l) {
			return place{i + 1, len(utf16.Encode([]rune(l[:offset]))) + 1}, true
		}
		offset -= len(l) + 1
	}
	return place{}, false
}
