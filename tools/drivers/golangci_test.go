// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// buildGolangci builds golangci-lint with the plugin, once for all tests. The
// first time this compiles some two thousand packages.
var buildGolangci = sync.OnceValues(func() (string, error) {
	dir, err := shareDir()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "golangci-lint")
	cmd := exec.Command("go", "build", "-o", bin, ".")
	cmd.Dir = filepath.Join("..", "gcl")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build golangci-lint with the plugin: %w\n%s", err, out)
	}
	return bin, nil
})

func golangci(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds golangci-lint, which takes minutes the first time")
	}
	bin, err := buildGolangci()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// wholeConfig makes golangci-lint show all that the plugin reports, of which it
// otherwise shows a choice.
const wholeConfig = `version: "2"
linters:
  default: none
  enable: [gpumemlint]
  settings:
    custom:
      gpumemlint:
        type: module
        settings:
          tier: possible
          models: |
%s
issues:
  max-issues-per-linter: 0
  max-same-issues: 0
  uniq-by-line: false
`

// golangciFindings runs golangci-lint. It makes an issue of its own of the
// place where a resource was acquired: those are left out here.
func golangciFindings(t *testing.T, bin string, c *tree, env ...string) []finding {
	t.Helper()
	config := filepath.Join(t.TempDir(), ".golangci.yml")
	write(t, config, fmt.Appendf(nil, wholeConfig, indent(c.modelText(t), 12)))
	cmd := exec.Command(bin, "run", "--config", config, "--path-mode", "abs", "--output.json.path", "stdout", "--show-stats=false", "./...")
	cmd.Dir, cmd.Env = c.dir, c.env(append(env, "GOLANGCI_LINT_CACHE="+t.TempDir())...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("golangci-lint: got %v, want exit status 1 (issues)\n%s%s", err, stdout.Bytes(), stderr.Bytes())
	}
	var doc struct {
		Issues []struct {
			FromLinter, Text string
			Pos              struct {
				Filename     string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		t.Fatalf("golangci-lint's output: %v\n%s", err, stdout.Bytes())
	}
	var found []finding
	for _, i := range doc.Issues {
		if i.FromLinter != "gpumemlint" {
			t.Errorf("golangci-lint reports by %s: %s", i.FromLinter, i.Text)
			continue
		}
		if strings.HasSuffix(i.Text, " acquired here") {
			continue // a related position
		}
		_, message, _ := strings.Cut(i.Text, ": ") // the analyzer's name comes first
		found = append(found, finding{c.rel(t, i.Pos.Filename), i.Pos.Line, i.Pos.Column, message})
	}
	return sorted(found)
}

func indent(text string, n int) string {
	pad := strings.Repeat(" ", n)
	return pad + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+pad)
}
