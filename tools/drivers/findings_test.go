// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A finding is what every driver says of one. The file is relative to the
// corpus.
type finding struct {
	file         string
	line, column int
	message      string
}

func (f finding) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.file, f.line, f.column, f.message)
}

// rel names a file of the corpus.
func (c *tree) rel(t testing.TB, file string) string {
	t.Helper()
	if !filepath.IsAbs(file) {
		return filepath.ToSlash(file)
	}
	rel, err := filepath.Rel(c.dir, file)
	if err != nil || strings.HasPrefix(rel, "..") {
		t.Fatalf("a finding outside the corpus: %s", file)
	}
	return filepath.ToSlash(rel)
}

// sorted orders findings and drops repetitions: a package and its test variant
// both report what is in their common files.
func sorted(list []finding) []finding {
	slices.SortFunc(list, func(a, b finding) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(list)
}

// compare demands that two drivers find the same.
func compare(t *testing.T, nameA string, a []finding, nameB string, b []finding) {
	t.Helper()
	for _, f := range a {
		if !slices.Contains(b, f) {
			t.Errorf("%s finds, %s does not: %s", nameA, nameB, f)
		}
	}
	for _, f := range b {
		if !slices.Contains(a, f) {
			t.Errorf("%s finds, %s does not: %s", nameB, nameA, f)
		}
	}
}
