// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"bytes"
	"io/fs"
	"strings"
	"sync"
)

// modelledPaths are the import paths that the built-in stubs describe, without
// their major versions. They are found by looking for the lines that name
// them, which takes a hundredth of the time that parsing takes.
var modelledPaths = sync.OnceValue(func() map[string]bool {
	paths := map[string]bool{}
	names, err := fs.Glob(stubs, "stubs/*.gpumem")
	if err != nil {
		return paths // the pattern is constant and correct
	}
	for _, name := range names {
		src, err := stubs.ReadFile(name)
		if err != nil {
			continue // it is embedded
		}
		for line := range bytes.Lines(src) {
			if bytes.HasPrefix(line, []byte("package ")) {
				break // the paths stand above the package clause
			}
			rest, ok := strings.CutPrefix(string(line), prefix+"package ")
			if words := strings.Fields(rest); ok && len(words) > 0 {
				paths[normal(words[0])] = true
			}
		}
	}
	return paths
})

// Modelled reports what Default().Package reports, without parsing a model.
// A driver that is started once a package asks this first, since most
// packages import nothing that is modelled.
func Modelled(path string) bool { return modelledPaths()[normal(path)] }
