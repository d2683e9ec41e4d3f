// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package prover_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// These tests run the command as a user does: what is proved in the end rests
// on the linter, the instrumentation, the ledger and the verdicts together.

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// tool is the path of the gpumemlint command under test.
var tool string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "prover")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	tool = filepath.Join(dir, "gpumemlint")
	cmd := exec.Command("go", "build", "-o", tool, "github.com/gpumemlint/gpumemlint/cmd/gpumemlint")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the command: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

func TestScript(t *testing.T) { testscript.Run(t, params(filepath.Join("testdata", "script"))) }

// params are those of the scripts in a folder.
func params(dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup:               setup,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "sum": sum, "unchanged": unchanged, "untidy": untidy,
		},
	}
}

func setup(e *testscript.Env) error {
	// A home of its own hides the user's caches, without which each script
	// would compile the standard library.
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return fmt.Errorf("go env %s: %w", name, err)
		}
		e.Setenv(name, strings.TrimSpace(string(out)))
	}
	for name, value := range map[string]string{
		"GOFLAGS": "", "GOWORK": "", "GOTOOLCHAIN": "local",
		"PATH":   filepath.Dir(tool) + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"TMPDIR": filepath.Join(e.WorkDir, "tmp"),
	} {
		e.Setenv(name, value)
	}
	if err := os.MkdirAll(filepath.Join(e.WorkDir, "tmp"), 0o777); err != nil {
		return err
	}
	return copyDir(filepath.Join("testdata", "suite", "dev"), filepath.Join(e.WorkDir, "dev"))
}

// exits runs a command and checks its exit status: exits STATUS CMD ARG...
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// sum remembers what a folder holds, and unchanged checks that it still does.
func sum(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv("SUM", hashDir(ts, ts.MkAbs(args[0])))
}

func unchanged(ts *testscript.TestScript, _ bool, args []string) {
	if hashDir(ts, ts.MkAbs(args[0])) != ts.Getenv("SUM") {
		ts.Fatalf("%s is not what it was", args[0])
	}
}

// untidy (always negated) checks that the temporary folder is empty.
func untidy(ts *testscript.TestScript, neg bool, _ []string) {
	entries, err := os.ReadDir(ts.Getenv("TMPDIR"))
	ts.Check(err)
	if neg && len(entries) > 0 {
		ts.Fatalf("left in the temporary folder: %v", entries)
	}
}

// hashDir sums up names, modes and contents of all files.
func hashDir(ts *testscript.TestScript, dir string) string {
	var lines []string
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%s %v %x", path, info.Mode(), sha256.Sum256(data)))
		return nil
	}))
	sort.Strings(lines)
	total := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(total[:])
}

func copyDir(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o666)
	})
}
