// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint"
)

// TestReadme runs what the README tells a newcomer to run, and compares.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(buildLinter(t), "./examples/...")
	cmd.Dir = filepath.Join("..", "..")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatalf("gpumemlint ./examples/...: got %v, want exit status 3 (findings)\n%s", err, stderr.Bytes())
	}
	if block := "\n```\n" + stdout.String() + "```\n"; !strings.Contains(string(readme), block) {
		t.Errorf("README.md does not have this output of gpumemlint ./examples/... in a block of its own:\n%s", stdout.String())
	}
}

func buildLinter(t *testing.T) string {
	t.Helper()
	linter := filepath.Join(t.TempDir(), "gpumemlint")
	build := exec.Command("go", "build", "-o", linter, "./cmd/gpumemlint")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build gpumemlint: %v\n%s", err, out)
	}
	return linter
}

// TestDriversAgree runs the corpus through the drivers. What they may differ in
// is in docs/drivers.md, and each such difference is stated at its driver
// here.
func TestDriversAgree(t *testing.T) {
	linter := buildLinter(t)
	total := 0
	for i, c := range newTrees(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) { total += driversAgree(t, linter, c) })
	}
	if total < 1000 {
		t.Errorf("go vet makes %d findings in a corpus of bugs: the comparison says little", total)
	}
}

func driversAgree(t *testing.T, linter string, c *tree) int {
	vet := vetFindings(t, linter, c, nil)
	silenced := without(vetFindings(t, linter, c, nil, "-nolint=false"), vet)
	t.Logf("go vet makes %d findings and keeps silent about %d", len(vet), len(silenced))
	t.Run("stand-alone", func(t *testing.T) {
		alone, _ := aloneFindings(t, linter, c, nil, "./...")
		compare(t, "go vet", vet, "stand-alone", alone)
	})
	t.Run("in process", func(t *testing.T) {
		compare(t, "go vet", vet, "in process", checkerFindings(t, c))
	})
	t.Run("golangci-lint", func(t *testing.T) {
		// It knows linters only: what is silenced by a rule's name is shown.
		byRule := without(silenced, silencedBy(t, c, silenced, "gpumemlint"))
		want := sorted(slices.Concat(vet, byRule))
		compare(t, "go vet", want, "golangci-lint", golangciFindings(t, golangci(t), c))
	})
	t.Run("nogo", func(t *testing.T) {
		// It knows the names of analyzers, and we do not.
		byPass := silencedBy(t, c, vet, passNames()...)
		compare(t, "go vet", without(vet, byPass), "nogo", nogoFindings(t, buildNogo(t, c.modelText(t)), c))
	})
	return len(vet)
}

func passNames() []string {
	var names []string
	for _, a := range gpumemlint.Analyzers() {
		names = append(names, a.Name)
	}
	return names
}
