// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command gpumem looks into GPU memory: what holds it now, what changed, and how
// another allocator would have done.
//
// Two commands watch a machine, top and serve; they need the NVIDIA driver, or
// programs that show their allocators. The others read snapshots of this project and of PyTorch, JSON or pickle,
// and recorded histories, ours or the logs of RAPIDS RMM, all of them gzipped
// or not. Run "gpumem help" for the commands, and see docs/runtime.md for what
// they show.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/gpumemlint/gpumemlint/runtime/nvml"
)

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitGrown  = 3 // diff -exit-code
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	env := &environment{ctx: ctx, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, openDriver: openNVML}
	status := env.run(os.Args[1:])
	stop()
	os.Exit(status)
}

// openNVML opens the real driver.
func openNVML() (driver, error) {
	r, err := nvml.Open()
	if err != nil {
		return nil, err // not r, which as an interface would not be nil
	}
	return r, nil
}

// command is one of gpumem's. run gets the arguments after its name.
type command struct {
	name, args, about string
	run               func(env *environment, args []string) error
}

// commands are listed in the order in which help shows them. It is a function
// since help itself is about all of them.
func commands() []command {
	return []command{
		{"top", "[-json | -line] [-interval 1s] [-n COUNT] [-sites N] [-color auto|always|never] [PROGRAM...]", "show GPU memory as driver and allocators see it, and what grows", runTop},
		{"serve", "[-listen localhost:9840] [-processes] | -rules | -dashboard", "serve the driver's view to Prometheus, or print alert rules or a Grafana dashboard", runServe},
		{"replay", "[-policy best|pytorch] [-segments conf|plain|vmm] [-conf SETTINGS] [-limit BYTES] [-target FRACTION] [-device N] [-o FILE] TRACE", "play a recorded history and show what it would have reserved, as JSON", runReplay},
		{"curve", "[-o FILE] TRACE...", "draw what a recorded history reserves against the driver calls it makes", runCurve},
		{"report", "[-format text|json|svg] [-o FILE] SNAPSHOT", "show what holds memory, or draw it", runReport},
		{"diff", "[-format text|json] [-exit-code] BEFORE AFTER", "show which call sites hold more or less than before", runDiff},
		{"convert", "[-to FORMAT] [-o FILE] SNAPSHOT", "write a snapshot in another format", runConvert},
	}
}

// environment is what a command talks to.
type environment struct {
	ctx            context.Context // done when the command is to stop
	stdin          io.Reader
	stdout, stderr io.Writer
	openDriver     func() (driver, error)
}

// usageError is a mistake on the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// statusError ends the command with a status and no words.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// run is main without the process, so that tests can call it.
func (env *environment) run(args []string) int {
	if len(args) == 0 {
		usage(env.stderr)
		return exitUsage
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		usage(env.stdout)
		return exitOK
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.do(env, args[1:])
		}
	}
	fmt.Fprintf(env.stderr, "gpumem: no command %q; run gpumem help\n", args[0])
	return exitUsage
}

func (c command) do(env *environment, args []string) int {
	err := c.run(env, args)
	var wrong usageError
	var status statusError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(env.stdout, "usage: gpumem %s %s\n\n%s.\n", c.name, c.args, c.about)
		return exitOK
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &wrong):
		fmt.Fprintf(env.stderr, "gpumem %s: %v; usage: gpumem %s %s\n", c.name, err, c.name, c.args)
		return exitUsage
	}
	fmt.Fprintf(env.stderr, "gpumem %s: %v\n", c.name, err)
	return exitFailed
}

func usage(w io.Writer) {
	fmt.Fprint(w, "gpumem shows what holds GPU memory.\n\nusage: gpumem COMMAND ...\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-8s %s\n           %s\n", c.name, c.about, c.args)
	}
	fmt.Fprint(w, "\nA SNAPSHOT is a file of gpumem or PyTorch, JSON or pickle, a recorded trace,\nor an RMM log; - is the standard input. A PROGRAM is the address of one that\ncalls metrics.Register, such as localhost:8080.\n")
}

// parse reads a command's flags and checks the number of arguments left, -1
// being any.
func parse(fs *flag.FlagSet, args []string, want int) error {
	fs.SetOutput(io.Discard)
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return usageError{err.Error()}
	}
	if want >= 0 && fs.NArg() != want {
		return usageError{fmt.Sprintf("%d files given, want %d", fs.NArg(), want)}
	}
	return nil
}

// output opens where a command writes to. close reports a write that failed
// late.
func (env *environment) output(name string) (w io.Writer, close func() error, err error) {
	if name == "" || name == "-" {
		return env.stdout, func() error { return nil }, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}

// write runs f on the output and closes it.
func (env *environment) write(name string, f func(io.Writer) error) error {
	w, done, err := env.output(name)
	if err != nil {
		return err
	}
	err = f(w)
	if closeErr := done(); err == nil {
		err = closeErr
	}
	return err
}
