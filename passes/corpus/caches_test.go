// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"strings"
	"testing"
)

// TestCaches demands the leaking cache in every shape, and silence about the right
// ways to keep something: a ring, weak pointers, eviction, host memory.
func TestCaches(t *testing.T) {
	pkgs, findings := loadCorpus(t, "cache/...")
	found := map[string]bool{}
	for _, f := range findings {
		if !strings.HasPrefix(f.Decl, "Leaky") {
			t.Errorf("right code flagged: %s", f)
			continue
		}
		if f.Rule != "GM201" && f.Rule != "GM203" {
			t.Errorf("another rule than GM201 or GM203: %s", f)
		}
		found[f.Package+"."+f.Decl] = true
	}
	wanted := 0
	for _, pkg := range pkgs {
		for _, file := range pkg.GoFiles {
			list, err := spans(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range list {
				if !strings.HasPrefix(d.name, "Leaky") || d.name != "LeakyClosure" && !strings.Contains(d.name, ".") || strings.HasSuffix(d.name, ".Get") {
					continue // a type; its methods fill it
				}
				wanted++
				if !found[pkg.PkgPath+"."+d.name] {
					t.Errorf("missed: %s.%s", pkg.PkgPath, d.name)
				}
			}
		}
	}
	if wanted < 19 {
		t.Errorf("only %d leaking caches, expected at least 19", wanted)
	}
}
