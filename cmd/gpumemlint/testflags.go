// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gpumemlint/gpumemlint/internal/testrun"
)

// testFlags is the command line of gpumemlint test.
type testFlags struct {
	lintFlags
	run     string
	timeout time.Duration
	jobs    int

	goTest testrun.Flags
}

func newTestFlags() *testFlags { return new(testFlags) }

// own defines the flags that a lint run does not have.
func (f *testFlags) own() *flag.FlagSet {
	fs := flag.NewFlagSet("gpumemlint test", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are printed once, by run
	fs.StringVar(&f.run, "run", "", "run only the tests that match this `pattern`, as go test does")
	fs.DurationVar(&f.timeout, "timeout", 10*time.Minute, "how long one run of a package's tests may take, as a `duration`")
	fs.IntVar(&f.jobs, "j", runtime.GOMAXPROCS(0), "how `many` builds and runs go on at a time")
	return fs
}

// parseTestFlags reads and checks a command line: flags, packages, and behind
// -- what go test shall be told.
func parseTestFlags(args []string) (*testFlags, error) {
	f := newTestFlags()
	var extra []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, extra = args[:i], args[i+1:]
	}
	fs := f.own()
	f.common(fs)
	if err := fs.Parse(args); err != nil {
		return nil, flagError(err)
	}
	if err := f.check(fs); err != nil {
		return nil, err
	}
	var err error
	if f.goTest, err = testrun.ParseFlags(extra); err != nil {
		return nil, usagef("%v", err)
	}
	switch {
	case f.jobs < 1:
		return nil, usagef("-j %d makes no sense; want 1 or more", f.jobs)
	case f.timeout <= 0:
		return nil, usagef("-timeout %v makes no sense; want a time such as 2m", f.timeout)
	case f.run != "" && f.goTest.Run != "":
		return nil, usagef("-run is given twice; give it once")
	case f.run != "":
		f.goTest.Run = f.run
	}
	if tags := f.goTest.Tags(); tags != "" {
		if f.tags != "" {
			return nil, usagef("-tags is given twice; give it once")
		}
		f.tags = tags
	} else if f.tags != "" {
		f.goTest.Build = append(f.goTest.Build, "-tags="+f.tags)
	}
	f.goTest.Build = append(f.goTest.Build, "-trimpath=false") // GOFLAGS may say otherwise, and names of files must be whole
	return f, nil
}

// buildFlags returns those that change which files are analysed.
func (f *testFlags) buildFlags() []string {
	var list []string
	for _, flag := range f.goTest.Build {
		if strings.HasPrefix(flag, "-mod=") || strings.HasPrefix(flag, "-race=") {
			list = append(list, flag)
		}
	}
	return list
}
