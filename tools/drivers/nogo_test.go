// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint"
	"github.com/gpumemlint/gpumemlint/tools/nogo"
)

// buildNogo builds nogo as rules_go does, with the passes as its analyzers.
// The engine is reached through them: nogo sets the flags of what an analyzer
// requires too.
func buildNogo(t *testing.T, models string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds nogo")
	}
	var analyzers []string
	for _, a := range gpumemlint.Analyzers() {
		if a.Name != "ownership" {
			analyzers = append(analyzers, "github.com/gpumemlint/gpumemlint/passes/"+a.Name)
		}
	}
	config, err := json.Marshal(map[string]any{
		"ownership": map[string]any{"analyzer_flags": map[string]string{"tier": "possible", "models": models}},
	})
	if err != nil {
		t.Fatal(err)
	}
	bin, err := nogo.Build(t.Context(), t.TempDir(), repository(t), analyzers, config)
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// nogoFindings runs nogo on each package of the corpus, dependencies first, in
// a root that holds the inputs which Bazel would declare.
func nogoFindings(t *testing.T, bin string, c *tree) []finding {
	t.Helper()
	packages, err := nogo.Load(t.Context(), c.dir, c.env(), "./...")
	if err != nil {
		t.Fatal(err)
	}
	runner := nogo.NewRunner(bin, t.TempDir(), packages)
	var found []finding
	runs := 0
	for _, p := range packages {
		if p.Standard {
			continue // never analysed
		}
		act, err := runner.Run(t.Context(), p, p.DepOnly)
		if err != nil && !runner.Open && strings.Contains(err.Error(), "operation not permitted") {
			t.Log("this system closes no root: nogo sees files that it was not given")
			runner.Open = true
			act, err = runner.Run(t.Context(), p, p.DepOnly)
		}
		if err != nil {
			t.Fatal(err)
		}
		runs++
		for _, f := range act.Findings {
			dir := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
			found = append(found, finding{path.Join(dir, f.File), f.Line, f.Column, f.Message})
		}
	}
	t.Logf("nogo ran %d times", runs)
	return sorted(found)
}
