// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package testrun compiles the tests of a package once and runs them as often
// as it takes, each run in a process and with a ledger of its own.
//
// go test links a test binary again for every run; proving a dozen findings
// takes a dozen runs and more, so the binary is kept and started here the way
// the go command starts it: in the package's folder, with a time limit. A test
// that ends the whole process takes the tests behind it along; they are run
// again without it.
package testrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// A Runner says how tests are built and run. It may be used from several
// goroutines at once; each call makes folders of its own in Temp.
type Runner struct {
	Dir   string                               // where the go command runs; empty for the current directory
	Temp  string                               // a folder for binaries and ledgers, which the caller removes
	Args  []string                             // flags of the instrumented build, for go test
	Flags Flags                                // what the user wants
	Env   func(ledger, inject string) []string // environment of a run with its ledger
	Root  string                               // GOROOT, whose bin tests find first on PATH, as under go test; may be empty
	Fix   func(file string) string             // maps file names in ledgers to the user's; may be nil
}

// A Binary is the compiled tests of a package.
type Binary struct {
	Package string
	Dir     string // the package's folder
	Path    string
}

// A BuildError says why a package's tests do not compile.
type BuildError struct {
	Package string
	Text    string // what the compiler says first
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("tests of %s do not compile: %s", e.Package, e.Text)
}

// Compile builds the tests of a package. Plain leaves the instrumentation
// out. It returns a *BuildError if the compiler refuses.
func (r *Runner) Compile(ctx context.Context, pkg, dir string, plain bool) (*Binary, error) {
	folder, err := os.MkdirTemp(r.Temp, "test")
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder for a test binary: %w", err)
	}
	b := &Binary{Package: pkg, Dir: dir, Path: filepath.Join(folder, filepath.Base(dir)+".test")}
	args := []string{"test", "-c", "-o", b.Path, "-vet=off"}
	if plain {
		args = append(args, r.Flags.Build...)
	} else {
		args = append(args, r.Args...)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Dir = r.Dir
	if !plain {
		cmd.Env = r.Env("", "") // it may choose another go.work
	}
	cmd.WaitDelay = killDelay
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, &BuildError{pkg, firstComplaint(out.String())}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot run go test -c: %w", err)
	}
	if _, err := os.Stat(b.Path); err != nil {
		return nil, nil // no test files
	}
	return b, nil
}

// killDelay is how long a process gets to end after its limit.
const killDelay = 5 * time.Second

// firstComplaint is the first line of a compiler's output that says something.
func firstComplaint(out string) string {
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: downloading ") {
			return line
		}
	}
	return "the compiler does not say why"
}

// A Job is one run of a binary.
type Job struct {
	Binary *Binary
	Tests  []string // top-level names; nil for all that the user's pattern allows
	Skip   []string // top-level names that do not run
	Count  int      // how often each test runs; 0 is once
	Inject string   // the failing call, as the environment names it; may be empty
	Limit  time.Duration
	Plain  bool // not instrumented: no ledger
}

// A Result is what a run left behind. It is whole as far as it goes even where
// the process crashed.
type Result struct {
	Records []track.Record
	Failed  []string // top-level tests that failed, in the order of their end
	Crashed string   // the test during which the process ended, or empty
	Problem string   // why the process did not end as it should, in one line, or empty
	Took    time.Duration
}

// Run makes one run. The error is one of starting it, or that of ctx; what
// the tests do is in the result.
func (r *Runner) Run(ctx context.Context, j Job) (*Result, error) {
	ledger, err := os.MkdirTemp(r.Temp, "ledger")
	if err != nil {
		return &Result{}, fmt.Errorf("cannot make a folder for a ledger: %w", err)
	}
	name, args := r.command(j)
	// The test's own limit prints what hangs; ours ends what does not listen.
	hard, cancel := context.WithTimeout(ctx, j.Limit+2*killDelay)
	defer cancel()
	cmd := exec.CommandContext(hard, name, args...)
	cmd.Dir = j.Binary.Dir
	cmd.WaitDelay = killDelay
	env := os.Environ()
	if !j.Plain {
		env = r.Env(ledger, j.Inject)
	}
	cmd.Env = r.environ(env, j.Binary.Dir)
	out := new(transcript)
	cmd.Stdout, cmd.Stderr = out, out
	start := time.Now()
	err = cmd.Run()
	res := &Result{Took: time.Since(start)}
	res.learn(out, err, hard.Err() != nil, j.Limit)
	records, readErr := track.Read(ledger)
	res.Records = r.mend(records)
	_ = os.RemoveAll(ledger) // the folder above is removed anyway
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return res, ctx.Err()
	case err != nil && !errors.As(err, &exit) && hard.Err() == nil && !errors.Is(err, exec.ErrWaitDelay):
		return res, fmt.Errorf("cannot run the tests of %s: %w", j.Binary.Package, err)
	case readErr != nil:
		res.Problem = readErr.Error()
	}
	return res, nil
}

func (r *Runner) command(j Job) (name string, args []string) {
	args = []string{"-test.paniconexit0", "-test.v=test2json", "-test.timeout=" + j.Limit.String(), fmt.Sprintf("-test.count=%d", max(j.Count, 1))}
	args = append(args, r.Flags.Test...)
	args = append(args, r.choose(j.Tests)...)
	if len(j.Skip) > 0 {
		args = append(args, "-test.skip="+r.skip(j.Skip))
	}
	args = append(args, r.Flags.Args...)
	if len(r.Flags.Exec) == 0 {
		return j.Binary.Path, args
	}
	return r.Flags.Exec[0], slices.Concat(r.Flags.Exec[1:], []string{j.Binary.Path}, args)
}

// choose returns the flags that pick tests. What the user's pattern says of
// subtests still holds.
func (r *Runner) choose(tests []string) []string {
	if tests == nil {
		if r.Flags.Run == "" {
			return nil
		}
		return []string{"-test.run=" + r.Flags.Run}
	}
	var plain, bench []string
	for _, t := range tests {
		if strings.HasPrefix(t, "Benchmark") {
			bench = append(bench, regexp.QuoteMeta(t))
		} else {
			plain = append(plain, regexp.QuoteMeta(t))
		}
	}
	sub := ""
	if _, rest, ok := strings.Cut(r.Flags.Run, "/"); ok {
		sub = "/" + rest
	}
	flags := []string{"-test.run=^(" + strings.Join(plain, "|") + ")$" + sub}
	if len(plain) == 0 {
		flags = []string{"-test.run=^$"}
	}
	if r.Flags.Bench {
		flags = append(flags, "-test.bench=^("+strings.Join(bench, "|")+")$")
	}
	return flags
}

// skip is a pattern for what the user skips and for some tests more.
func (r *Runner) skip(tests []string) string {
	var list []string
	for _, t := range tests {
		list = append(list, "^"+regexp.QuoteMeta(t)+"$")
	}
	for _, flag := range r.Flags.Test {
		if own, ok := strings.CutPrefix(flag, "-test.skip="); ok && own != "" {
			list = append(list, own)
		}
	}
	return strings.Join(list, "|")
}

// environ does what go test does to the environment of a test.
func (r *Runner) environ(env []string, dir string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "PWD=") })
	env = append(env, "PWD="+dir)
	if r.Root == "" {
		return env
	}
	bin := filepath.Join(r.Root, "bin")
	for i, kv := range env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			env[i] = "PATH=" + bin + string(filepath.ListSeparator) + path
		}
	}
	return env
}

// learn takes from the log how the tests ended. err is what Wait said.
func (res *Result) learn(l *transcript, err error, killed bool, limit time.Duration) {
	l.close()
	res.Failed = l.failed
	if err == nil {
		return // all is well
	}
	res.Crashed = l.running()
	switch {
	case killed || strings.HasPrefix(l.panics, "panic: test timed out"):
		res.Problem = fmt.Sprintf("not over within %s", limit)
	case l.panics != "":
		res.Problem = strings.TrimSuffix(l.panics, " [recovered, repanicked]")
		if n := len(l.failed); res.Crashed == "" && n > 0 {
			res.Crashed = l.failed[n-1] // a test that panics is reported as failed first
		}
	case len(l.failed) > 0 && res.Crashed == "":
		return // tests that fail, in order
	default:
		res.Problem = "the process ended: " + err.Error()
		if n := len(l.last); n > 0 && res.Crashed == "" {
			res.Problem = l.last[n-1] // such as what TestMain says
		}
	}
}

// mend gives files the names that the user knows.
func (r *Runner) mend(records []track.Record) []track.Record {
	if r.Fix == nil {
		return records
	}
	fix := func(frames []track.Frame) {
		for i := range frames {
			frames[i].File = r.Fix(frames[i].File)
		}
	}
	for i := range records {
		rec := &records[i]
		fix(rec.Stack)
		fix(rec.Acquire)
		fix(rec.Release)
		for j := range rec.Sites {
			fix(rec.Sites[j].Stack)
		}
		for j := range rec.Loops {
			rec.Loops[j].File = r.Fix(rec.Loops[j].File)
		}
	}
	return records
}
