// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// A finding is the part of gpumemlint's JSON that the page needs.
type finding struct {
	Rule     string `json:"rule"`
	Tier     string `json:"tier"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	Message  string `json:"message"`
	Acquired struct {
		File string `json:"file"`
		Line int    `json:"line"`
	} `json:"acquired"`

	Verdict string `json:"-"` // "true", "false" or empty
	Reason  string `json:"-"`
}

func (f finding) String() string {
	verdict := f.Verdict
	if verdict == "" {
		verdict = "unjudged"
	}
	return fmt.Sprintf("%s:%d: %s [%s, acquired %s:%d, in %s, %s]", f.File, f.Line, f.Message, f.Tier, f.Acquired.File, f.Acquired.Line, f.Function, verdict)
}

// A result is what linting a target gave.
type result struct {
	Target   target
	Packages int // how many packages the patterns name
	Findings []finding
	Degraded int      // functions over the engine's budget
	Broken   []string // gpumemlint's words on packages that it could not read
	Err      error    // the target could not be linted at all
}

// lintWithin gives up after a time: the first run of a large module compiles
// everything that it imports.
func lintWithin(ctx context.Context, limit time.Duration, linter, work string, t target) result {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	res := lint(ctx, linter, work, t)
	if ctx.Err() == context.DeadlineExceeded {
		res.Err = fmt.Errorf("took more than %s", limit)
		res.Findings = nil
	}
	return res
}

// lint copies the target's module under work and runs the linter there.
func lint(ctx context.Context, linter, work string, t target) (res result) {
	res.Target = t
	dir, err := checkout(ctx, work, t)
	if err != nil {
		res.Err = err
		return res
	}
	env, err := environment(work, t)
	if err != nil {
		res.Err = err
		return res
	}

	list := exec.CommandContext(ctx, "go", append([]string{"list", "-e", "-tags=" + t.Tags}, t.Patterns...)...)
	list.Dir, list.Env = dir, env
	out, err := list.Output()
	if err != nil {
		res.Err = fmt.Errorf("go list: %v", explain(err))
		return res
	}
	res.Packages = bytes.Count(out, []byte("\n"))

	args := []string{"-format", "json", "-tier", "possible"}
	if t.Tags != "" {
		args = append(args, "-tags", t.Tags)
	}
	cmd := exec.CommandContext(ctx, linter, append(args, t.Patterns...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its own children
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir, cmd.Env = dir, env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	res.Broken = complaints(stderr.String(), dir)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		res.Err = err
		return res
	}
	var doc struct {
		Findings []finding
		Degraded []json.RawMessage
	}
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		res.Err = fmt.Errorf("gpumemlint's output is not JSON: %v: %s", err, firstLine(stderr.String()))
		return res
	}
	res.Findings, res.Degraded = doc.Findings, len(doc.Degraded)
	sort.SliceStable(res.Findings, func(i, j int) bool {
		a, b := res.Findings[i], res.Findings[j]
		if a.File != b.File {
			return a.File < b.File
		}
		return a.Line < b.Line
	})
	return res
}

// complaints returns gpumemlint's own lines on standard error, without the
// summary and without this machine's folders.
func complaints(stderr, dir string) []string {
	var lines []string
	for _, line := range strings.Split(stderr, "\n") {
		if text, ok := strings.CutPrefix(line, "gpumemlint: "); ok && strings.Contains(text, "does not compile") {
			text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
			if cache, err := os.UserCacheDir(); err == nil {
				text = strings.ReplaceAll(text, cache, "(cache)")
			}
			lines = append(lines, text)
		}
	}
	return lines
}

// checkout gives a folder where the target is the main module.
func checkout(ctx context.Context, work string, t target) (string, error) {
	dir := filepath.Join(work, "src", t.Name+"@"+t.Version)
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return dir, nil // kept from an earlier run by -work
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	if t.Module == "" { // the standard library can be named from any module
		return dir, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module std-target\n\ngo 1.25.0\n"), 0o666)
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", t.Module+"@"+t.Version)
	cmd.Dir = work
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("download %s@%s: %v", t.Module, t.Version, explain(err))
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("download %s@%s: %v", t.Module, t.Version, err)
	}
	if err := copyWritable(dir, module.Dir); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return "", fmt.Errorf("%s has no go.mod", t.Module)
	}
	return dir, nil
}

// copyWritable copies the module cache's read-only tree.
func copyWritable(to, from string) error {
	return filepath.WalkDir(from, func(name string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o666)
	})
}

// fakeCXX is the compiler of target.FakeCXX.
const fakeCXX = `#!/bin/sh
compile=0
out=
last=
for arg in "$@"; do
	[ "$arg" = -c ] && compile=1
	[ "$last" = -o ] && out=$arg
	last=$arg
done
if [ $compile = 1 ] && [ -n "$out" ]; then
	exec gcc -x c -c /dev/null -o "$out"
fi
exec g++ "$@"
`

func environment(work string, t target) ([]string, error) {
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if !t.FakeCXX {
		return env, nil
	}
	script := filepath.Join(work, "fakecxx")
	if err := os.WriteFile(script, []byte(fakeCXX), 0o777); err != nil {
		return nil, err
	}
	return append(env, "CXX="+script, "CGO_LDFLAGS=-Wl,--unresolved-symbols=ignore-all"), nil
}

// explain adds what a failed command said.
func explain(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return errors.New(firstLine(string(exit.Stderr)))
	}
	return err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
