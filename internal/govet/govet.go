// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package govet runs go vet with this tool as its vettool and reads what
// comes back.
//
// Loading a whole program in one process costs ten times the memory of
// letting the go command start the tool once a package, and the go command
// caches what the tool says. So the stand-alone mode is go vet -json with the
// findings taken from its standard output and the failures from its standard
// error. One bad package must not hide the findings of the others: where the
// go command would refuse the whole pattern, the packages that load are
// analysed without those that do not.
package govet

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrNoGo is returned when there is no go command.
var ErrNoGo = errors.New("the go command is not on PATH; install Go from https://go.dev/dl or add it to PATH")

// interruptDelay is how long the go command gets to end after an interrupt.
const interruptDelay = 5 * time.Second

// Options say what to run.
type Options struct {
	Dir        string   // directory to run in; empty for the current one
	Env        []string // environment; nil for the current one
	Tool       string   // path of the vet tool
	ToolFlags  []string // flags of the tool, as in -tier=possible
	BuildFlags []string // flags of the go command, as in -tags=x
	Patterns   []string // packages

	// OnPackage, if not nil, is called from another goroutine each time that
	// a package (or its external test) has been analysed.
	OnPackage func()
}

// A Result is what go vet said. On interruption it holds what was there by then.
type Result struct {
	Diagnostics []Diagnostic
	Failures    []Failure
}

// A Failure is a package or pattern that could not be analysed.
type Failure struct {
	Kind    FailureKind
	Package string // import path; empty if no single package is to blame
	Message string // one line
}

// FailureKind says what went wrong.
type FailureKind uint8

// The kinds of failure.
const (
	NotLoaded   FailureKind = iota // a pattern or package that the go command can't find or read
	NotCompiled                    // the compiler, cgo or the type checker refused it
	NotAnalysed                    // an analyzer failed
)

// Run analyses the packages. The error is for a run that could not be made
// or was interrupted; what single packages fail for is in the result.
func Run(ctx context.Context, o Options) (*Result, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return &Result{}, ErrNoGo
	}
	res, err := analyse(ctx, o)
	if err == nil {
		var more []Failure
		more, err = skipped(ctx, o, res.Failures)
		res.Failures = append(res.Failures, more...)
	}
	Sort(res.Failures)
	res.Failures = slices.Compact(res.Failures)
	return res, err
}

// Sort orders failures by package and message. The go command works on
// several packages at a time, in no fixed order.
func Sort(failures []Failure) {
	slices.SortStableFunc(failures, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Message, b.Message))
	})
}

// analyse is Run but for what the failures lead to.
func analyse(ctx context.Context, o Options) (*Result, error) {
	res, documents, err := vet(ctx, o)
	if err != nil {
		return res, err
	}
	if documents > 0 || len(res.Failures) == 0 || !blamesNoPackage(res.Failures) {
		return res, nil // analysed, if not everything
	}

	// Nothing was analysed and the go command names no package that does not
	// compile: some package or pattern does not even load, which ends go vet.
	good, failures, err := triage(ctx, o)
	if err != nil {
		return res, err
	}
	if len(failures) == 0 {
		return res, nil // go list has no explanation: keep the first one
	}
	if len(good) == 0 {
		return &Result{Failures: failures}, nil
	}
	o.Patterns = good
	res, _, err = vet(ctx, o)
	res.Failures = append(failures, res.Failures...)
	return res, err
}

// vet is one run of go vet. It returns how many packages were analysed.
func vet(ctx context.Context, o Options) (*Result, int, error) {
	args := []string{"vet", "-json", "-vettool=" + o.Tool}
	args = append(args, o.ToolFlags...)
	args = append(args, o.BuildFlags...)
	args = append(args, "--")
	args = append(args, o.Patterns...)
	cmd := command(ctx, o, args)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return &Result{}, 0, fmt.Errorf("cannot run go vet: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return &Result{}, 0, fmt.Errorf("cannot run go vet: %w", err)
	}
	res, documents, decodeErr := decode(out, o.OnPackage)
	_, _ = io.Copy(io.Discard, out) // let the child end even if its output made no sense
	waitErr := cmd.Wait()
	if ctx.Err() != nil {
		return res, documents, ctx.Err()
	}
	if decodeErr != nil {
		return res, documents, fmt.Errorf("go vet printed what is not its JSON: %w", decodeErr)
	}
	res.Failures = append(res.Failures, parseFailures(stderr.String(), filepath.Base(o.Tool))...)
	var exit *exec.ExitError
	if waitErr != nil && !errors.As(waitErr, &exit) {
		return res, documents, fmt.Errorf("go vet: %w", waitErr)
	}
	if waitErr != nil && len(res.Failures) == 0 {
		res.Failures = append(res.Failures, Failure{Message: "go vet failed without saying why: " + waitErr.Error()})
	}
	return res, documents, nil
}

// command prepares a run of the go command that ends soon after ctx.
func command(ctx context.Context, o Options, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = o.Dir
	cmd.Env = o.Env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = interruptDelay
	return cmd
}

func blamesNoPackage(failures []Failure) bool {
	for _, f := range failures {
		if f.Package != "" {
			return false
		}
	}
	return true
}

// firstLine returns the first line that says something.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if s := strings.TrimSpace(line); s != "" {
			return s
		}
	}
	return ""
}
