// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package corpus

import "testing"

// TestAcross checks what is kept in containers of other packages: every line
// that a want comment names, and nothing else.
func TestAcross(t *testing.T) {
	pkgs, findings := loadCorpus(t, "across/...")
	wanted, err := demands(pkgs)
	if err != nil {
		t.Fatal(err)
	}
	if len(wanted) < 17 {
		t.Errorf("only %d lines are wanted, expected at least 17", len(wanted))
	}
	for _, f := range findings {
		if !meet(wanted, f) {
			t.Errorf("right code flagged: %s", f)
		}
	}
	for _, d := range wanted {
		if !d.met {
			t.Errorf("missed: %v at %s.go:%d", d.rules, d.id, d.line)
		}
	}
}
