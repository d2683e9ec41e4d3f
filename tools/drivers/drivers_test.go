// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gpumemlint/gpumemlint"
)

// A corpus is a folder of packages to lint.
type corpus struct {
	name, dir string
	env       []string
	gopath    bool // GOPATH-style testdata, where the stand-alone command has no module
}

func corpora(t *testing.T) []corpus {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	list := []corpus{{name: "examples", dir: filepath.Join(root, "examples"), env: os.Environ()}}
	folders, err := filepath.Glob(filepath.Join(root, "passes", "*", "testdata", "src"))
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range folders {
		list = append(list, corpus{
			name:   "passes/" + filepath.Base(filepath.Dir(filepath.Dir(src))),
			dir:    src,
			env:    append(os.Environ(), "GO111MODULE=off", "GOPATH="+filepath.Dir(src), "GOFLAGS="),
			gopath: true,
		})
	}
	return list
}

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

func TestDriversAgree(t *testing.T) {
	linter := buildLinter(t)
	for _, c := range corpora(t) {
		t.Run(c.name, func(t *testing.T) {
			vet := vetFindings(t, linter, c)
			if len(vet) == 0 {
				t.Fatal("go vet finds nothing in a corpus that leaks: the comparison would be empty")
			}
			compare(t, "go vet", vet, "in process", checkerFindings(t, c))
			if !c.gopath {
				compare(t, "go vet", vet, "stand-alone", aloneFindings(t, linter, c))
			}
		})
	}
}

func compare(t *testing.T, nameA string, a []string, nameB string, b []string) {
	t.Helper()
	for _, f := range a {
		if !slices.Contains(b, f) {
			t.Errorf("%s finds, %s does not: %s", nameA, nameB, f)
		}
	}
	for _, f := range b {
		if !slices.Contains(a, f) {
			t.Errorf("%s finds, %s does not: %s", nameB, nameA, f)
		}
	}
}

// vetFindings runs go vet -json and returns "file:line: message", sorted, each
// once although a package and its test variant both report it.
func vetFindings(t *testing.T, linter string, c corpus) []string {
	t.Helper()
	cmd := exec.Command("go", "vet", "-json", "-vettool="+linter, "./...")
	cmd.Dir, cmd.Env = c.dir, c.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("go vet: %v\n%s", err, stderr.Bytes())
	}
	var found []string
	for dec := json.NewDecoder(&stdout); ; {
		var doc map[string]map[string]json.RawMessage // package, analyzer, diagnostics
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
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
					file, line, _ := cutPosition(d.Posn)
					found = append(found, entry(t, c, file, line, d.Message))
				}
			}
		}
	}
	return sorted(found)
}

// checkerFindings runs the analyzers in this process, as golangci-lint does.
func checkerFindings(t *testing.T, c corpus) []string {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: c.dir, Env: c.env, Tests: true}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze(gpumemlint.Analyzers(), pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Errorf("%s: %v", act, act.Err)
		}
		for _, d := range act.Diagnostics {
			pos := act.Package.Fset.Position(d.Pos)
			found = append(found, entry(t, c, pos.Filename, fmt.Sprint(pos.Line), d.Message))
		}
	}
	return sorted(found)
}

// aloneFindings runs the command as a user does.
func aloneFindings(t *testing.T, linter string, c corpus) []string {
	t.Helper()
	cmd := exec.Command(linter, "-format", "json", "./...")
	cmd.Dir, cmd.Env = c.dir, c.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatalf("gpumemlint: got %v, want exit status 3 (findings)\n%s", err, stderr.Bytes())
	}
	var doc struct {
		Findings []struct {
			File    string
			Line    int
			Message string
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		t.Fatalf("gpumemlint's output: %v", err)
	}
	var found []string
	for _, f := range doc.Findings {
		// Its files are relative to the module's root, one above the examples.
		found = append(found, entry(t, c, filepath.Join(filepath.Dir(c.dir), f.File), fmt.Sprint(f.Line), f.Message))
	}
	return sorted(found)
}

func entry(t *testing.T, c corpus, file, line, message string) string {
	t.Helper()
	if rel, err := filepath.Rel(c.dir, file); err == nil && filepath.IsAbs(file) {
		file = rel
	}
	return file + ":" + line + ": " + message
}

// cutPosition splits file:line:column.
func cutPosition(posn string) (file, line, column string) {
	i := strings.LastIndex(posn, ":")
	j := strings.LastIndex(posn[:i], ":")
	return posn[:j], posn[j+1 : i], posn[i+1:]
}

func sorted(found []string) []string {
	slices.Sort(found)
	return slices.Compact(found)
}
