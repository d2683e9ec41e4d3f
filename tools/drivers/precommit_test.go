// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPreCommit runs the real pre-commit with the configuration that the
// documentation shows: a commit that leaks is refused, one that does not
// passes.
func TestPreCommit(t *testing.T) {
	if _, err := exec.LookPath("pre-commit"); err != nil {
		t.Skip("pre-commit is not installed")
	}
	if testing.Short() {
		t.Skip("builds gpumemlint from a clone")
	}
	w := newWorld(t, nil)
	dir := app(t)
	// The repository is served at its address, with the release as a tag.
	write(t, filepath.Join(dir, ".pre-commit-config.yaml"), []byte(docBlock(t, "pre-commit", "yaml", 0)))
	w.must(t, 0, dir, "git init -q && git add -A && pre-commit install")
	start := time.Now()
	out := w.must(t, 1, dir, "git commit -m 'a leak'")
	t.Logf("the first commit, with the installation of the hook, took %v", time.Since(start).Round(time.Second))
	if !strings.Contains(out, lossAt) {
		t.Errorf("the refusal does not say why:\n%s", out)
	}
	w.must(t, 128, dir, "git rev-parse --verify -q HEAD || exit 128")
	write(t, filepath.Join(dir, "device", "device.go"), []byte(mended))
	start = time.Now()
	out = w.must(t, 0, dir, "git add -A && git commit -m 'no leak'")
	t.Logf("the second commit took %v", time.Since(start).Round(100*time.Millisecond))
	if !strings.Contains(out, "Passed") {
		t.Errorf("the hook did not run:\n%s", out)
	}
	// A commit without Go files does not run it.
	write(t, filepath.Join(dir, "notes.txt"), []byte("notes\n"))
	if out := w.must(t, 0, dir, "git add -A && git commit -m 'notes'"); !strings.Contains(out, "Skipped") {
		t.Errorf("the hook ran without need:\n%s", out)
	}
}
