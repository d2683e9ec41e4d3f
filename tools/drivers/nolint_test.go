// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/suppress"
)

// silencedBy returns those of the silenced findings that a directive of one of
// the names silences.
func silencedBy(t *testing.T, c *tree, silenced []finding, names ...string) []finding {
	t.Helper()
	var list []finding
	for _, f := range silenced {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(c.dir, f.file), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		pos := fset.File(file.FileStart).LineStart(f.line)
		if suppress.Matches(fset, file, pos, names...) {
			list = append(list, f)
		}
	}
	return list
}

// without returns the findings of a that are not in b.
func without(a, b []finding) []finding {
	return slices.DeleteFunc(slices.Clone(a), func(f finding) bool { return slices.Contains(b, f) })
}
