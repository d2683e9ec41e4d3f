// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gpumemlint/gpumemlint"
	"github.com/gpumemlint/gpumemlint/tools/nogo"
)

// nogoAnalyzers are the packages that docs/drivers.md lists for nogo.
func nogoAnalyzers() []string {
	var list []string
	for _, a := range gpumemlint.Analyzers() {
		name := a.Name
		if name == "ownership" {
			name = "directive" // the package that exports the engine
		}
		list = append(list, "github.com/gpumemlint/gpumemlint/passes/"+name)
	}
	return list
}

// nogos are the binaries that were built, by the value of the flag models.
var nogos sync.Map

// buildNogo builds nogo as rules_go does. models is the value of the engine's
// flag of that name.
func buildNogo(t *testing.T, models string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds nogo")
	}
	if bin, ok := nogos.Load(models); ok {
		return bin.(string)
	}
	config, err := json.Marshal(map[string]any{
		"ownership": map[string]any{"analyzer_flags": map[string]string{"tier": "possible", "models": models}},
	})
	if err != nil {
		t.Fatal(err)
	}
	base, err := shareDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, fmt.Sprintf("nogo-%x", sha256.Sum256(config)))
	if err := os.RemoveAll(dir); err != nil { // of an earlier run
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	bin, err := nogo.Build(t.Context(), dir, repository(t), nogoAnalyzers(), config)
	if err != nil {
		t.Fatal(err)
	}
	nogos.Store(models, bin)
	return bin
}

// nogoFindings runs nogo on each package of the corpus, dependencies first, in
// a root that holds the inputs which Bazel would declare.
func nogoFindings(t *testing.T, bin string, c *tree) []finding {
	t.Helper()
	found, err := runNogo(t, bin, c.dir, c.env(), corpusModule)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// runNogo runs nogo on the packages of the module in dir, called name.
func runNogo(t *testing.T, bin, dir string, env []string, name string) ([]finding, error) {
	t.Helper()
	packages, err := nogo.Load(t.Context(), dir, env, "./...")
	if err != nil {
		return nil, err
	}
	runner := nogo.NewRunner(bin, t.TempDir(), packages)
	var found []finding
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
			return nil, err
		}
		for _, f := range act.Findings {
			below := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, name), "/")
			found = append(found, finding{path.Join(below, f.File), f.Line, f.Column, f.Message})
		}
	}
	return sorted(found), nil
}

// TestNogoSandbox checks that an action reads nothing but its inputs, and
// that it says so when it is told to.
func TestNogoSandbox(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module m\n\ngo 1.25.0\n"))
	write(t, filepath.Join(dir, "m.go"), []byte("package m\n\n//gpumem:aquire cuda.mem result0\nfunc Get() *int { return nil }\n"))
	env := append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	models := filepath.Join(dir, "my.gpumem")
	write(t, models, []byte("//gpumem:source https://example.com/m\npackage C\n"))
	_, err := runNogo(t, buildNogo(t, models), dir, env, "m")
	if err == nil || !strings.Contains(err.Error(), "models file cannot be read") {
		t.Errorf("a models file that is no input of the action: error %v, want one that says it cannot be read", err)
	}
	found, err := runNogo(t, buildNogo(t, ""), dir, env, "m")
	if err != nil || len(found) != 1 || !strings.Contains(found[0].message, "bad directive") {
		t.Errorf("nogo finds %v, error %v; want the malformed directive", found, err)
	}
}
