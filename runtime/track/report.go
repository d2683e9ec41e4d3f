// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The environment of an instrumented run.
const (
	// EnvDir names the folder that each instrumented process writes its ledger
	// into. Without it a process keeps no ledger.
	EnvDir = "GPUMEMLINT_TRACK_DIR"
	// EnvInject names the one injection point that fails in this run: its ID.
	// Each test has it fail once, at the first call it makes there.
	EnvInject = "GPUMEMLINT_TRACK_INJECT"
)

// Format is the version of the ledger's format, in every Start record.
const Format = 1

// Suffix ends the name of a ledger file.
const Suffix = ".ledger.jsonl"

// The kinds of Record.
const (
	KindStart  = "start"  // once, first: which process
	KindTest   = "test"   // a top-level test (benchmark, fuzz target, example) has ended, its clean-up included
	KindMisuse = "misuse" // a double release or a use after release, written before it happens
	KindInject = "inject" // the chosen injection point fails now, written before it does
	KindLate   = "late"   // what a Test record called live is released after all
)

// A Record is one line of a ledger. Fields that do not belong to its kind are empty.
type Record struct {
	Kind string `json:"kind"`

	// Start.
	Format  int    `json:"format,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Program string `json:"program,omitempty"` // base name of the executable: mylib.test
	Dir     string `json:"dir,omitempty"`     // working directory: that of the package under test

	// Test holds the name of a test for every kind but Start: for Test records
	// that of the top-level test, for others the subtest if there is one. It is
	// empty if no test did it (TestMain, init, a goroutine of nobody).
	Test string `json:"test,omitempty"`
	Run  int    `json:"run,omitempty"` // 1, or more where -count or a benchmark repeats the test

	Failed  bool    `json:"failed,omitempty"`
	Skipped bool    `json:"skipped,omitempty"`
	Sites   []Site  `json:"sites,omitempty"`  // everything that the test acquired, by site
	Live    []Live  `json:"live,omitempty"`   // what it acquired and never released
	Points  []Point `json:"points,omitempty"` // the injection points that it reached
	Loops   []Loop  `json:"loops,omitempty"`  // loops in which it acquired something

	// From and To number the process's events (what was acquired, released or
	// moved by anybody) at the start and the end of the test.
	From int64 `json:"from,omitempty"`
	To   int64 `json:"to,omitempty"`
	// History is how much of each site was live over the test: here the points
	// are numbers of events and counts, at most 64, the peak and the end among them.
	History []Series `json:"history,omitempty"`

	// Misuse, Inject and Late.
	Misuse  string  `json:"misuse,omitempty"`   // "double-release" or "use-after-release"
	Point   string  `json:"point,omitempty"`    // Inject: the ID of the point
	ID      int64   `json:"id,omitempty"`       // Misuse and Late: which allocation, unique in the process
	Class   string  `json:"class,omitempty"`    // Misuse: as in "cuda.mem"
	Call    string  `json:"call,omitempty"`     // Misuse: the modelled function that was called
	Stack   []Frame `json:"stack,omitempty"`    // Misuse and Inject: where
	Acquire []Frame `json:"acquired,omitempty"` // Misuse: where it was acquired
	Release []Frame `json:"released,omitempty"` // Misuse: where it was first released
}

// The values of Record.Misuse.
const (
	DoubleRelease   = "double-release"
	UseAfterRelease = "use-after-release"
)

// A Frame is one call of a stack, innermost first. File is an absolute path as
// the user knows it, unless the build trimmed paths; the frames of this package
// are left out.
type Frame struct {
	Func string `json:"func"` // as in "example.com/m.(*Cache).Grow"
	File string `json:"file"`
	Line int    `json:"line"`
	// Library is set in the source of a modelled library: the first frame
	// without it is the user's call.
	Library bool `json:"library,omitempty"`
}

// A Site is one stack that acquired, summed over a test. All counts are of
// allocations; Live = Acquired - Released - Moved - Collected.
type Site struct {
	Site      int     `json:"site"` // number within the process; loops refer to it
	Class     string  `json:"class"`
	Call      string  `json:"call"` // the modelled function, as in "gocv.io/x/gocv.NewMat" or "C.cudaMalloc"
	Stack     []Frame `json:"stack"`
	Acquired  int     `json:"acquired"`
	Released  int     `json:"released"`
	Moved     int     `json:"moved,omitempty"`     // handed over to something that releases it
	Collected int     `json:"collected,omitempty"` // freed by Go's garbage collector
	Live      int     `json:"live,omitempty"`
}

// A Live is one allocation that a test acquired and that is there when the
// test and its clean-up have ended.
type Live struct {
	ID    int64  `json:"id"`
	Site  int    `json:"site"`
	Class string `json:"class"`
	Test  string `json:"test"` // the subtest that acquired it, or the test
	// Once is set where it was acquired inside a sync.Once, an init or the like:
	// made once for the whole process, it is no leak of this test.
	Once bool `json:"once,omitempty"`
	// Process is set for a class of the process (nvml.Init): that it is
	// still there is right.
	Process bool `json:"process,omitempty"`
	// Backstop is set where a finalizer or the collector may yet free it. (It
	// has had its chance: the collector ran before this was written.)
	Backstop bool `json:"backstop,omitempty"`
	// Escaped is set where it was lent to code that may release it unseen, or
	// where its handle came back from another acquisition: no certain leak.
	Escaped bool `json:"escaped,omitempty"`
	// Inferred is set for a C type that no model declares: that a function
	// acquires or releases it is concluded from its name. Enough to try a finding out,
	// and not enough to make one.
	Inferred bool `json:"inferred,omitempty"`
}

// A Point is an injection point that a test reached.
type Point struct {
	ID   string `json:"id"`
	Hits int    `json:"hits"`
}

// A Loop is one execution of one loop, with live counts at the start of its
// iterations: at most 64 of them, evenly spaced. What the garbage collector may
// free is looked at right after a collection, at iterations 2, 4, 8 and so on.
type Loop struct {
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Iterations int      `json:"iterations"`
	Series     []Series `json:"series"`
}

// A Series is how many allocations of one site were live, by iteration.
type Series struct {
	Site   int      `json:"site"`
	Points [][2]int `json:"points"` // iteration (from 0), live allocations of that site
}

// Read returns the records of all ledgers in a folder, file by file in the order
// of their names. A last line that is cut short, as a crash or a kill leaves
// it, is dropped; so is a file that something else wrote. The error names what cannot be read.
func Read(dir string) ([]Record, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*"+Suffix))
	if err != nil {
		return nil, fmt.Errorf("list the ledgers in %s: %w", dir, err)
	}
	slices.Sort(names)
	var records []Record
	for _, name := range names {
		list, err := readFile(name)
		if err != nil {
			return records, err
		}
		records = append(records, list...)
	}
	return records, nil
}

func readFile(name string) ([]Record, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read a ledger: %w", err)
	}
	defer f.Close()
	r := bufio.NewReader(f)
	var records []Record
	for line := 1; ; line++ {
		text, err := r.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return records, nil // text, if any, was cut short
		}
		if err != nil {
			return records, fmt.Errorf("read the ledger %s: %w", name, err)
		}
		var rec Record
		if err := json.Unmarshal([]byte(strings.TrimSpace(text)), &rec); err != nil {
			return records, fmt.Errorf("ledger %s, line %d: %w; run the tests again", name, line, err)
		}
		records = append(records, rec)
	}
}
