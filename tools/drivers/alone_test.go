// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"testing"
)

// aloneFindings runs the command as a user does, and returns what it says on
// standard error too.
func aloneFindings(t *testing.T, linter string, c *tree, env []string, patterns ...string) (found []finding, stderr string) {
	t.Helper()
	cmd := exec.Command(linter, append([]string{"-format", "json", "-tier", "possible", "-models", c.models, "--"}, patterns...)...)
	cmd.Dir, cmd.Env = c.dir, c.env(env...)
	var stdout, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatalf("gpumemlint: got %v, want exit status 3 (findings)\n%s", err, errs.Bytes())
	}
	var doc struct {
		Findings []struct {
			File         string
			Line, Column int
			Message      string
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		t.Fatalf("gpumemlint's output: %v", err)
	}
	for _, f := range doc.Findings {
		found = append(found, finding{f.File, f.Line, f.Column, f.Message})
	}
	return sorted(found), errs.String()
}
