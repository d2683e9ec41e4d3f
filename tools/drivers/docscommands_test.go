// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v3"

	"github.com/gpumemlint/gpumemlint/internal/suppress"
)

// elsewhere are the blocks of docs/drivers.md that other tests run.
var elsewhere = map[string]string{
	"pre-commit yaml 0":     "TestPreCommit",
	"golangci-lint yaml 0":  "TestDocsGolangci",
	"golangci-lint yaml 1":  "TestDocsGolangci",
	"golangci-lint  0":      "TestDocsGolangci",
	"Bazel nogo starlark 0": "TestDocsBazel",
	"Bazel nogo starlark 1": "TestDocsBazel",
	"Bazel nogo json 0":     "TestDocsBazel",
}

// TestDocs runs every block of docs/drivers.md as printed, on a machine on
// which this checkout is released. A block that nothing runs fails the test.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds gpumemlint several times")
	}
	w := newWorld(t, nil)
	checks := map[string]func(t *testing.T, w *world, text string){
		"Alone  0":                      docsInstall,
		"Baseline  0":                   docsBaseline,
		"go vet  0":                     docsVet,
		"go vet  1":                     docsVetModels,
		"Without the C libraries  0":    docsNotes,
		"Without the C libraries  1":    docsEnv,
		"Suppression go 0":              docsSuppression,
		"Continuous integration yaml 0": docsWorkflow,
		"Continuous integration yaml 1": docsAnnotations,
		"Continuous integration yaml 2": docsGitLab,
	}
	seen := map[string]int{}
	for _, b := range docBlocks(t) {
		kind := b.section + " " + b.lang
		key := fmt.Sprintf("%s %d", kind, seen[kind])
		seen[kind]++
		if elsewhere[key] != "" {
			continue
		}
		check := checks[key]
		if check == nil {
			t.Errorf("docs/drivers.md: nothing runs block %q:\n%s", key, b.text)
			continue
		}
		delete(checks, key)
		t.Run(key, func(t *testing.T) { check(t, w, b.text) })
	}
	for key := range checks {
		t.Errorf("docs/drivers.md has no block %q any more", key)
	}
}

// docsInstall is the first block, so what it installs is there for the others.
func docsInstall(t *testing.T, w *world, text string) {
	if out := w.must(t, 3, app(t), text); !strings.Contains(out, lossAt) {
		t.Errorf("no finding in:\n%s", out)
	}
}

func docsBaseline(t *testing.T, w *world, text string) {
	dir := app(t)
	w.must(t, 0, dir, text)
	if _, err := os.Stat(filepath.Join(dir, "gpumemlint.json")); err != nil {
		t.Error(err)
	}
}

// headers is a variable that makes CUDA's header installed.
func headers(t *testing.T) string {
	t.Helper()
	include := t.TempDir()
	fake, err := os.ReadFile(filepath.Join(repository(t), "testdata", "matrix", "cuda_fake.h"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(include, "cuda_runtime.h"), fake)
	return "CGO_CFLAGS=-I" + include
}

func docsVet(t *testing.T, w *world, text string) {
	dir, env := app(t), headers(t)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d commands, want 2", len(lines))
	}
	for i, status := range []int{1, 0} { // the second asks for GM101 only
		out := w.must(t, status, dir, lines[i], env)
		if got := strings.Contains(out, lossAt); got != (status == 1) {
			t.Errorf("%s printed:\n%s", lines[i], out)
		}
	}
}

func docsVetModels(t *testing.T, w *world, text string) {
	if out := w.must(t, 1, app(t), text, headers(t)); !strings.Contains(out, fmt.Sprintf("device.go:%d:", poolLine)) {
		t.Errorf("the models were not heeded:\n%s", out)
	}
}

// docsNotes compares what the documentation says is printed without C.
func docsNotes(t *testing.T, w *world, text string) {
	if exec.Command("pkg-config", "--exists", "opencv4").Run() == nil {
		t.Skip("OpenCV is installed")
	}
	dir := app(t)
	write(t, filepath.Join(dir, "vision", "vision.go"), []byte("package vision\n\nimport \"gocv.io/x/gocv\"\n\n// Empty tells.\nfunc Empty() bool {\n\tm := gocv.NewMat()\n\tdefer m.Close()\n\treturn m.Empty()\n}\n"))
	w.must(t, 0, dir, "go get gocv.io/x/gocv@v0.41.0 && go mod tidy")
	_, out := w.sh(t, dir, "gpumemlint ./...")
	for line := range strings.Lines(text) {
		if !strings.Contains(out, line) {
			t.Errorf("not printed: %sbut:\n%s", line, out)
		}
	}
}

func docsEnv(t *testing.T, w *world, text string) {
	if out := w.must(t, 1, app(t), text); !strings.Contains(out, lossAt) {
		t.Errorf("no finding in:\n%s", out)
	}
}

func docsSuppression(t *testing.T, _ *world, text string) {
	src := "package p\n\n" + strings.Replace(text, "pool, err :=", "var pool, err =", 1)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", strings.ReplaceAll(src, "…", ""), parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	list := suppress.All(fset, f)
	if len(list) != 2 {
		t.Fatalf("%d directives, want 2", len(list))
	}
	for _, d := range list {
		if d.Reason == "" || len(d.Names) != 1 {
			t.Errorf("directive %+v: want a name and a reason", d)
		}
	}
}

// docsWorkflow lints the workflow, and runs the steps of the action that it
// uses.
func docsWorkflow(t *testing.T, w *world, text string) {
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	problems, err := linter.Lint(".github/workflows/gpumemlint.yml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("actionlint: %v", p)
	}
	runAction(t, w)
}

// docsAnnotations runs the step that prints annotations.
func docsAnnotations(t *testing.T, w *world, text string) {
	var steps []struct{ Run string }
	if err := yaml.Unmarshal([]byte(text), &steps); err != nil || len(steps) != 1 {
		t.Fatalf("%d steps, error %v", len(steps), err)
	}
	out := w.must(t, 1, app(t), steps[0].Run) // go run makes 1 of 3
	if !strings.Contains(out, "::error file=device/device.go,line=16,col=5,") {
		t.Errorf("no annotation in:\n%s", out)
	}
}

func docsGitLab(t *testing.T, w *world, text string) {
	var pipeline map[string]struct {
		Image     string
		Script    []string
		Artifacts struct {
			When    string
			Reports struct{ Codequality string }
		}
	}
	if err := yaml.Unmarshal([]byte(text), &pipeline); err != nil {
		t.Fatal(err)
	}
	job := pipeline["gpumemlint"]
	dir := app(t)
	w.must(t, 1, dir, strings.Join(job.Script, "\n"))
	data, err := os.ReadFile(filepath.Join(dir, job.Artifacts.Reports.Codequality))
	if err != nil {
		t.Fatal(err)
	}
	var issues []struct{ Location struct{ Path string } }
	if err := json.Unmarshal(data, &issues); err != nil || len(issues) != 1 || issues[0].Location.Path != "device/device.go" {
		t.Errorf("issues %+v, error %v", issues, err)
	}
	if job.Artifacts.When != "always" || job.Image == "" {
		t.Errorf("the job would keep no report of findings: %+v", job)
	}
}
