// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// TestMain lets the transcripts run two commands: gpumemlint as it is, and
// fakelint, which is the same with one analyzer whose findings the source
// spells out. What the drivers do can then be tested apart from the engine.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"gpumemlint": func() { os.Exit(mainExit()) },
		"fakelint": func() {
			analyzers = func() []*analysis.Analyzer { return []*analysis.Analyzer{fake()} }
			os.Exit(mainExit())
		},
	})
}

func TestScript(t *testing.T) {
	testscript.Run(t, scriptParams(filepath.Join("testdata", "script")))
}

// scriptParams says how to run the transcripts of a folder.
func scriptParams(dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			// A home of its own hides the user's caches, without which each script
			// would compile the standard library.
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY"} {
				out, err := exec.Command("go", "env", name).Output()
				if err != nil {
					return fmt.Errorf("go env %s: %w", name, err)
				}
				e.Setenv(name, strings.TrimSpace(string(out)))
			}
			cache, err := os.UserCacheDir()
			if err != nil {
				return err
			}
			e.Setenv("XDG_CACHE_HOME", cache) // stand-in headers are part of the build cache's keys
			self, err := exec.LookPath("fakelint")
			if err != nil {
				return err
			}
			e.Setenv("BIN", filepath.Dir(self)) // a PATH with our commands only
			e.Setenv("GOFLAGS", "")
			e.Setenv("GOWORK", "off")
			e.Setenv("GOTOOLCHAIN", "local")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits,
			"same":  same,
		},
	}
}

// exits runs a command and checks its exit status: exits STATUS CMD ARG...
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// same runs a command a number of times and checks that it prints the same
// each time: same TIMES CMD ARG...
func same(ts *testscript.TestScript, _ bool, args []string) {
	var first string
	for i := range atoi(ts, args[0]) {
		_ = ts.Exec(args[1], args[2:]...) // the status is tested elsewhere
		out := ts.ReadFile("stdout") + "\x00" + ts.ReadFile("stderr")
		if i == 0 {
			first = out
		} else if out != first {
			ts.Fatalf("run %d printed something else:\n%s\nfirst run:\n%s", i+1, out, first)
		}
	}
}

func atoi(ts *testscript.TestScript, s string) int {
	var n int
	if _, err := fmt.Sscan(s, &n); err != nil {
		ts.Fatalf("%q is no number", s)
	}
	return n
}

// TestAnalyzers checks that the list which all drivers share is sound.
func TestAnalyzers(t *testing.T) {
	if err := analysis.Validate(gpumemlint.Analyzers()); err != nil {
		t.Error(err)
	}
}

// TestInterrupted checks that an interrupt is told in one line and is no
// clean run.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	if got := run(ctx, []string{"./..."}, &stdout, &stderr); got != exitFailed {
		t.Errorf("exit status %d, want %d", got, exitFailed)
	}
	if got, want := stderr.String(), "gpumemlint: interrupted before anything was found\n"; got != want || stdout.Len() > 0 {
		t.Errorf("stderr %q, want %q; stdout %q, want nothing", got, want, stdout.String())
	}
}
