// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// vetFindings runs go vet -json: facts go from process to process in files.
func vetFindings(t *testing.T, linter string, c *tree, env []string, flags ...string) []finding {
	t.Helper()
	args := slices.Concat([]string{"vet", "-json", "-vettool=" + linter, "-tier=possible", "-models=" + c.modelText(t)}, flags, []string{"./..."})
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = c.dir, c.env(env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("go vet: %v\n%s", err, stderr.Bytes())
	}
	var found []finding
	for dec := json.NewDecoder(&stdout); ; {
		var doc map[string]map[string]json.RawMessage // package, analyzer, diagnostics
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return sorted(found)
		}
		if err != nil {
			t.Fatalf("go vet's output: %v", err)
		}
		for _, analyzers := range doc {
			for analyzer, raw := range analyzers {
				var diags []struct{ Posn, Message string }
				if err := json.Unmarshal(raw, &diags); err != nil {
					t.Fatalf("%s: %s", analyzer, raw)
				}
				for _, d := range diags {
					found = append(found, at(t, c, d.Posn, d.Message))
				}
			}
		}
	}
}

// at makes a finding of a position in the form file:line:column.
func at(t testing.TB, c *tree, posn, message string) finding {
	t.Helper()
	j := strings.LastIndexByte(posn, ':')
	i := strings.LastIndexByte(posn[:max(j, 0)], ':')
	if i < 0 {
		t.Fatalf("%q is no position", posn)
	}
	line, err1 := strconv.Atoi(posn[i+1 : j])
	column, err2 := strconv.Atoi(posn[j+1:])
	if err1 != nil || err2 != nil {
		t.Fatalf("%q is no position", posn)
	}
	return finding{c.rel(t, posn[:i]), line, column, message}
}
