// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package testrun

import (
	"fmt"
	"strconv"
	"strings"
)

// Flags are a go test command line, taken apart: what decides what is built,
// and what the test binary is told.
type Flags struct {
	Build []string // for the go command: -race, -tags=x
	Test  []string // for the binary, as in -test.short
	Run   string   // the pattern of -run; empty for all tests
	Bench bool     // benchmarks run too
	Exec  []string // the program that runs the binary, with its arguments
	Args  []string // behind -args
}

// What becomes of a flag of go test.
type fate uint8

const (
	toBinary fate = iota // passed on with the prefix test.
	dropped              // has no meaning here, and does no harm
	refused              // would write files, or count differently
	run
	program
)

// testFlags are the flags of go test that are not build flags. Some take no
// value unless it stands behind an equals sign.
var testFlags = map[string]struct {
	fate fate
	bool bool
}{
	"bench": {toBinary, false}, "benchmem": {toBinary, true}, "benchtime": {toBinary, false},
	"cpu": {toBinary, false}, "failfast": {toBinary, true}, "fullpath": {dropped, true},
	"parallel": {toBinary, false}, "short": {toBinary, true}, "shuffle": {toBinary, false}, "skip": {toBinary, false},
	"run": {run, false}, "exec": {program, false},
	"v": {dropped, true}, "json": {dropped, true}, "vet": {dropped, false}, "count": {dropped, false},
	"timeout": {refused, false}, "list": {refused, false}, "fuzz": {refused, false}, "fuzztime": {refused, false}, "fuzzminimizetime": {refused, false},
	"c": {refused, true}, "o": {refused, false}, "i": {refused, true}, "artifacts": {refused, true}, "outputdir": {refused, false},
	"cover": {dropped, true}, "covermode": {dropped, false}, "coverpkg": {dropped, false}, "coverprofile": {refused, false},
	"cpuprofile": {refused, false}, "memprofile": {refused, false}, "memprofilerate": {refused, false}, "blockprofile": {refused, false},
	"blockprofilerate": {refused, false}, "mutexprofile": {refused, false}, "mutexprofilefraction": {refused, false}, "trace": {refused, false},
}

// buildBools are the build flags that take no value.
var buildBools = map[string]bool{
	"race": true, "msan": true, "asan": true, "a": true, "n": true, "x": true, "work": true, "linkshared": true,
	"modcacherw": true, "trimpath": true, "buildvcs": true,
}

// ParseFlags takes apart what the user wants go test to be told.
func ParseFlags(args []string) (Flags, error) {
	var f Flags
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-args" || arg == "--args" {
			f.Args = args[i+1:]
			return f, nil
		}
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if !strings.HasPrefix(arg, "-") || name == "" {
			return f, fmt.Errorf("%q is no flag of go test; name packages before the --", arg)
		}
		name = strings.TrimPrefix(name, "test.")
		known, isTest := testFlags[name]
		single := known.bool || !isTest && buildBools[name]
		if !given && single {
			value = "true"
		}
		if !given && !single {
			if i++; i == len(args) {
				return f, fmt.Errorf("flag -%s of go test needs a value", name)
			}
			value = args[i]
		}
		if err := f.set(name, value, isTest, known.fate); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (f *Flags) set(name, value string, isTest bool, what fate) error {
	switch {
	case !isTest && (name == "n" || name == "x" || name == "toolexec" || name == "work"):
		return fmt.Errorf("-%s of go test has no place here, since the build is not an ordinary one; leave it out", name)
	case !isTest && name == "trimpath":
		return nil // findings and runs could not be joined without whole names
	case !isTest:
		f.Build = append(f.Build, "-"+name+"="+value)
	case what == refused && name == "timeout":
		return fmt.Errorf("give -timeout before the packages: it holds for each run")
	case what == refused:
		return fmt.Errorf("-%s of go test has no place here: runs are many, and nothing is written but the report; leave it out", name)
	case what == run:
		f.Run = value
	case what == program:
		f.Exec = strings.Fields(value)
	case what == toBinary:
		f.Test = append(f.Test, "-test."+name+"="+value)
		f.Bench = f.Bench || name == "bench" && value != ""
		if name == "parallel" {
			if n, err := strconv.Atoi(value); err != nil || n < 1 {
				return fmt.Errorf("-parallel of go test wants a number from 1, not %q", value)
			}
		}
	}
	return nil
}

// Tags returns the value of -tags among the build flags, or "".
func (f *Flags) Tags() string {
	tags := ""
	for _, flag := range f.Build {
		if value, ok := strings.CutPrefix(flag, "-tags="); ok {
			tags = value // the last one counts
		}
	}
	return tags
}
