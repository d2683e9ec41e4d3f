// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"testing"

	"github.com/gpumemlint/gpumemlint/rules"
)

// TestModelled checks the quick answer against the parsed models.
func TestModelled(t *testing.T) {
	n := 0
	for _, f := range rules.Default().Files() {
		for _, p := range f.Packages {
			n++
			if !rules.Modelled(p.Path) || !rules.Modelled(p.Path+"/v2") {
				t.Errorf("%s: package %s is modelled, but Modelled says that it is not", f.Name, p.Path)
			}
		}
	}
	if n == 0 {
		t.Error("no built-in model names a package")
	}
	for _, path := range []string{"", "C", "fmt", "net/http", "example.com/none"} {
		if rules.Modelled(path) != rules.Default().Package(path) {
			t.Errorf("Modelled(%q) = %v, but the models say otherwise", path, rules.Modelled(path))
		}
	}
}
