// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package output

import (
	"os"
	"path/filepath"
	"strings"
)

// Paths shortens file names so that a report reads the same on every machine.
type Paths struct {
	Root  string // the module's or workspace's root directory; may be empty
	Cache string // the module cache; may be empty
}

// Rel returns name relative to the root if it is inside, else relative to the
// module cache if it is inside that, with forward slashes; any other name is
// returned as it is.
func (p Paths) Rel(name string) string {
	for _, base := range []string{p.Root, p.Cache} {
		if rel, ok := Inside(base, name); ok {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(name)
}

// Abs is the inverse of Rel, as far as there is such a file.
func (p Paths) Abs(name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	for _, base := range []string{p.Root, p.Cache} {
		full := filepath.Join(base, name)
		if _, err := os.Stat(full); base != "" && err == nil {
			return full
		}
	}
	return name
}

// Inside returns name relative to the directory base, if name is below it.
func Inside(base, name string) (string, bool) {
	if base == "" || !filepath.IsAbs(name) {
		return "", false
	}
	rel, err := filepath.Rel(base, name)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rel, true
}
