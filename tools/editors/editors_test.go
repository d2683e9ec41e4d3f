// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package editors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A place is what an editor makes of one line.
type place struct {
	File      string
	Line, Col int
	Text      string
}

// matcher is an expression with the groups that an editor takes from it.
type matcher struct {
	name                  string
	re                    *regexp.Regexp
	file, line, col, text int
}

var matchers = []matcher{
	// The matcher "$go" of VS Code itself (tasks.json).
	{"VS Code $go", regexp.MustCompile(`^([^:]*: )?((.:)?[^:]*):(\d+)(:(\d+))?: (.*)$`), 2, 4, 6, 7},
	// The Go extension's expression for tools that run on save (runTool).
	{"vscode-go", regexp.MustCompile(`^([^:]*: )?((.:)?[^:]*):(\d+)(:(\d+)?)?:(?:\w+:)? (.*)$`), 2, 4, 6, 7},
}

func (m matcher) read(line string) (place, bool) {
	g := m.re.FindStringSubmatch(line)
	if g == nil {
		return place{}, false
	}
	n, _ := strconv.Atoi(g[m.line])
	c, _ := strconv.Atoi(g[m.col])
	return place{g[m.file], n, c, g[m.text]}, true
}

// root is the repository, from which the linter runs.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func build(t *testing.T) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), "gpumemlint")
	cmd := exec.Command("go", "build", "-o", tool, "./cmd/gpumemlint")
	cmd.Dir = root(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return tool
}

// expected is what JSON says about the same findings.
func expected(t *testing.T, tool string) []place {
	t.Helper()
	var report struct {
		Findings []struct {
			File, Message string
			Line, Column  int
		}
	}
	cmd := exec.Command(tool, "-format", "json", "./examples/leak")
	cmd.Dir = root(t)
	out, _ := cmd.Output() // exit status 3: findings
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("read JSON: %v\n%s", err, out)
	}
	var list []place
	for _, f := range report.Findings {
		list = append(list, place{f.File, f.Line, f.Column, f.Message})
	}
	if len(list) < 4 {
		t.Fatalf("examples/leak has %d findings, expected at least 4", len(list))
	}
	return list
}

func lines(t *testing.T, tool string) []string {
	t.Helper()
	cmd := exec.Command(tool, "./examples/leak")
	cmd.Dir = root(t)
	out, _ := cmd.Output()
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// TestText reads the stand-alone output line by line.
func TestText(t *testing.T) {
	tool := build(t)
	want := expected(t, tool)
	got := lines(t, tool)
	if len(got) != len(want) {
		t.Fatalf("%d lines for %d findings:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for _, m := range matchers {
		for i, line := range got {
			p, ok := m.read(line)
			if !ok || p != want[i] {
				t.Errorf("%s reads %q as %+v, expected %+v", m.name, line, p, want[i])
			}
		}
	}
}

// TestVet reads what go vet prints on standard error, which is what the Go
// extension of VS Code gets on save.
func TestVet(t *testing.T) {
	tool := build(t)
	want := map[string]bool{}
	for _, p := range expected(t, tool) {
		want[fmt.Sprint(filepath.Base(p.File), p.Line, p.Col, p.Text)] = true
	}
	cmd := exec.Command("go", "vet", "-vettool="+tool, "./examples/leak")
	cmd.Dir = root(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err == nil {
		t.Fatal("go vet found nothing")
	}
	for _, m := range matchers {
		read := 0
		for _, line := range strings.Split(stderr.String(), "\n") {
			if strings.HasPrefix(line, "#") {
				continue
			}
			if p, ok := m.read(line); ok && want[fmt.Sprint(filepath.Base(p.File), p.Line, p.Col, p.Text)] {
				read++
			}
		}
		if read != len(want) {
			t.Errorf("%s reads %d of %d findings from go vet:\n%s", m.name, read, len(want), stderr.String())
		}
	}
}

// TestVim lets Vim read the output with its own compiler plugin, and Neovim
// where it is installed.
func TestVim(t *testing.T) {
	tool := build(t)
	want := expected(t, tool)
	text := strings.Join(lines(t, tool), "\n") + "\n"
	tried := 0
	for _, vim := range []string{"vim", "nvim"} {
		if _, err := exec.LookPath(vim); err != nil {
			continue
		}
		tried++
		t.Run(vim, func(t *testing.T) {
			dir := t.TempDir()
			in, out := filepath.Join(dir, "errors.txt"), filepath.Join(dir, "list.json")
			if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			dump := fmt.Sprintf(`call writefile([json_encode(map(getqflist(), '{"File": bufname(v:val.bufnr), "Line": v:val.lnum, "Col": v:val.col, "Text": v:val.text, "Valid": v:val.valid}'))], '%s')`, out)
			args := []string{"-u", "NONE", "-i", "NONE", "-n", "-es", "-c", "set nocompatible", "-c", "compiler go", "-c", "cgetfile " + in, "-c", dump, "-c", "qa!"}
			if vim == "nvim" {
				args = append([]string{"--headless"}, args...)
			}
			cmd := exec.Command(vim, args...)
			cmd.Dir = root(t)
			cmd.Stdin = nil
			if b, err := cmd.CombinedOutput(); err != nil {
				t.Logf("%s: %v\n%s", vim, err, b) // -es ends with 1 on any message
			}
			b, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			var got []struct {
				place
				Valid int
			}
			if err := json.Unmarshal(b, &got); err != nil {
				t.Fatalf("%v\n%s", err, b)
			}
			if len(got) != len(want) {
				t.Fatalf("%d entries for %d findings: %s", len(got), len(want), b)
			}
			for i, g := range got {
				if g.Valid != 1 || g.place != want[i] {
					t.Errorf("entry %d: %+v, expected %+v", i, g.place, want[i])
				}
			}
		})
	}
	if tried == 0 {
		t.Skip("neither vim nor nvim is installed")
	}
}
