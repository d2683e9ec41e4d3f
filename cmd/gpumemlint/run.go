// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The exit statuses. A failure outranks findings: a run that could not see
// everything must not be taken for one that did.
const (
	exitClean    = 0
	exitFailed   = 1 // something could not be analysed, read or written
	exitUsage    = 2 // the command line makes no sense
	exitFindings = 3
)

// A usageError is a mistake on the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// errFindings ends a run that worked and found something.
var errFindings = errors.New("findings")

// errReported ends a run whose failures are on stderr already.
var errReported = errors.New("failures reported")

// A command is one of gpumemlint's subcommands.
type command struct {
	name  string
	args  string
	short string
	run   func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

func commands() []command {
	return []command{
		{"test", "[flags] PACKAGES [-- go test flags]", "run the tests and say which findings they prove", testCommand},
		{"explain", "[RULE...]", "tell what a rule reports and how to mend it", explain},
		{"models", "[LIBRARY...]", "list what is known of libraries, with sources", models},
		{"env", "PACKAGES", "print what other tools need where C headers are missing", printEnv},
		{"version", "", "print the version", version},
		{"help", "", "print this text", help},
	}
}

// run executes one command line, without the program's name, and returns the
// exit status. Findings and answers go to stdout, everything else to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := dispatch(ctx, args, stdout, stderr)
	var usage *usageError
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.Is(err, errReported):
		return exitFailed
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "gpumemlint: interrupted before anything was found")
		return exitFailed
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "gpumemlint: %v\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "gpumemlint: %v\n", err)
	return exitFailed
}

func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return usagef("no packages named; name them, as in gpumemlint ./... (gpumemlint help lists everything)")
	}
	if slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		return help(ctx, nil, stdout, stderr)
	}
	for _, c := range commands() {
		if args[0] == c.name {
			return c.run(ctx, args[1:], stdout, stderr)
		}
	}
	return lint(ctx, args, stdout, stderr)
}

func help(_ context.Context, args []string, stdout, _ io.Writer) error {
	if len(args) > 0 {
		return usagef("help takes no argument; for a rule, run gpumemlint explain %s", args[0])
	}
	var b strings.Builder
	b.WriteString(`gpumemlint finds GPU memory that Go code does not give back.

Usage:

    gpumemlint [flags] PACKAGES     lint packages, as in gpumemlint ./...
`)
	for _, c := range commands() {
		left := strings.TrimSpace("gpumemlint " + c.name + " " + c.args)
		if len(left) > 31 {
			left += "\n" + strings.Repeat(" ", 35)
		}
		fmt.Fprintf(&b, "    %-31s %s\n", left, c.short)
	}
	b.WriteString("\nFlags:\n\n")
	fs, _ := newLintFlags()
	printFlags(&b, fs)
	b.WriteString("\nFlags of gpumemlint test, besides those (and without -write-baseline):\n\n")
	printFlags(&b, newTestFlags().own())
	b.WriteString(`
Exit status: 0 clean, 1 something could not be analysed (whatever was found
is printed all the same), 2 wrong usage, 3 findings. gpumemlint test: 3 only
if a finding is confirmed, or a leak observed.

It also works as a vet tool, with -tier, -rules and -models:

    go vet -vettool=$(which gpumemlint) ./...
`)
	_, err := io.WriteString(stdout, b.String())
	return err
}
