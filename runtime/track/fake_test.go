// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// The numbers of the functions, classes, points and loops in testTable.
const (
	fnNew = iota
	fnClose
	fnUse
	fnMalloc
	fnFree
	fnInit
	fnShutdown
	fnNewAuto
	fnTake
	fnTryFree
	fnCleanup
	fnFill
	fnMaybe
)

const (
	classBuf = iota
	classMem
	classProcess
	classAuto
	classMat
)

var testTable = Table{
	Classes: []Class{
		{Name: "t.buf"}, {Name: "t.mem"}, {Name: "t.session", Process: true},
		{Name: "t.auto", Backstop: true}, {Name: "t.mat", AgainOK: true},
	},
	Funcs: []Func{
		fnNew:      {Name: "t.New", Success: SuccessNil, Result: 1, Effects: []Effect{{Op: OpAcquire, Class: classBuf, Place: Place{Root: 0}}}},
		fnClose:    {Name: "t.Close", Ins: 1, Effects: []Effect{{Op: OpRelease, Class: classBuf, Place: Place{Root: 0}}}},
		fnUse:      {Name: "t.Use", Ins: 1, Effects: []Effect{{Op: OpUse, Class: classBuf, Place: Place{Root: 0}}}},
		fnMalloc:   {Name: "C.malloc", Raw: true, Ins: 1, Success: SuccessStatus, Result: 1, Effects: []Effect{{Op: OpAcquire, Class: classMem, Place: Place{Root: 0, Deref: true}}}},
		fnFree:     {Name: "C.free", Raw: true, Ins: 1, Effects: []Effect{{Op: OpRelease, Class: classMem, Place: Place{Root: 0}}}},
		fnInit:     {Name: "t.Init", Effects: []Effect{{Op: OpAcquire, Class: classProcess, Place: Place{Root: -1}}}},
		fnShutdown: {Name: "t.Shutdown", Effects: []Effect{{Op: OpRelease, Class: classProcess, Place: Place{Root: -1}}}},
		fnNewAuto:  {Name: "t.NewAuto", Effects: []Effect{{Op: OpAcquire, Class: classAuto, Place: Place{Root: 0}}}},
		fnTake:     {Name: "t.Take", Ins: 1, Success: SuccessNil, Result: 1, Effects: []Effect{{Op: OpConsume, Class: classBuf, Place: Place{Root: 0}, When: WhenOnSuccess}}},
		fnTryFree:  {Name: "t.TryFree", Ins: 1, Success: SuccessNil, Result: 1, Effects: []Effect{{Op: OpRelease, Class: classBuf, Place: Place{Root: 0}, When: WhenFailure}}},
		fnCleanup:  {Name: "t.Borrow", Effects: []Effect{{Op: OpAcquire, Class: classBuf, Place: Place{Root: 0}}, {Op: OpCleanup, Class: classBuf, Place: Place{Root: 1}}}},
		fnFill:     {Name: "t.Fill", Ins: 1, Effects: []Effect{{Op: OpFill, Class: classBuf, Place: Place{Root: 0, Path: []string{"[]"}}}}},
		fnMaybe:    {Name: "t.Maybe", Ins: 1, Effects: []Effect{{Op: OpUnsure, Class: classBuf, Place: Place{Root: 0}}}},
	},
	Points: []string{"p0", "p1"},
	Loops:  []Frame{{File: "loop.go", Line: 7}},
}

// A buf is a handle; its size keeps it out of the allocator of tiny objects.
type buf struct{ data [4]uint64 }

var errTest = errors.New("does not work")

func newBuf(fail bool) (b *buf, err error) {
	defer F(fnNew).Out(&b, &err)
	if fail {
		return nil, errTest
	}
	return new(buf), nil
}

func (b *buf) Close() { defer F(fnClose, b).Out() }
func (b *buf) Use()   { defer F(fnUse, b).Out() }

func take(b *buf, fail bool) (err error) {
	defer F(fnTake, b).Out(&err)
	if fail {
		return errTest
	}
	return nil
}

func tryFree(b *buf, fail bool) (err error) {
	defer F(fnTryFree, b).Out(&err)
	if fail {
		return errTest
	}
	return nil
}

func borrow() (b *buf, done func()) {
	defer F(fnCleanup).Out(&b, &done)
	return new(buf), func() {}
}

func fill(list []*buf) {
	defer F(fnFill, list).Out()
	for i := range list {
		if list[i] == nil {
			list[i] = new(buf)
		}
	}
}

func newAuto() (b *buf) {
	defer F(fnNewAuto).Out(&b)
	return new(buf)
}

// malloc and free stand for rewritten C calls.
func malloc(p *uintptr, addr uintptr, status int32) int32 {
	return func() (r int32) {
		c := F(fnMalloc, p)
		*p, r = addr, status
		c.Out(&r)
		return
	}()
}

func free(p uintptr) {
	func() { c := F(fnFree, p); c.Out() }()
}

// A fakeTest is a test of the program under test.
type fakeTest struct {
	name     string
	cleanups []func()
	failed   bool
}

func (f *fakeTest) Name() string      { return f.name }
func (f *fakeTest) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }
func (f *fakeTest) Failed() bool      { return f.failed }
func (f *fakeTest) Skipped() bool     { return false }

// runTest does what package testing does: a goroutine for each test.
func runTest(name string, body func(f *fakeTest)) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f := &fakeTest{name: name}
		Test(f)
		body(f)
		for i := len(f.cleanups) - 1; i >= 0; i-- {
			f.cleanups[i]()
		}
	}()
	<-done
}

// fresh replaces the process's ledger by an empty one, and returns what reads it.
func fresh(t testing.TB, inject string) (read func() []Record) {
	t.Helper()
	dir := t.TempDir()
	old := std
	std = open(dir, inject)
	t.Cleanup(func() { std = old })
	text, err := json.Marshal(testTable)
	if err != nil {
		t.Fatal(err)
	}
	if !Load(string(text)) {
		t.Fatal("the table cannot be read")
	}
	return func() []Record {
		t.Helper()
		records, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(records) > 0 && (records[0].Kind != KindStart || records[0].Format != Format) {
			t.Fatalf("the first record is %+v, want a start record of format %d", records[0], Format)
		}
		if len(records) == 0 {
			return nil
		}
		return records[1:]
	}
}

// one is the only record that there should be.
func one(t *testing.T, records []Record) Record {
	t.Helper()
	if len(records) != 1 {
		t.Fatalf("got %d records %+v, want 1", len(records), records)
	}
	return records[0]
}

// userFrame is the first frame of a stack that is not the library's.
func userFrame(stack []Frame) string {
	for _, f := range stack {
		if !f.Library {
			return f.Func[strings.LastIndexByte(f.Func, '/')+1:]
		}
	}
	return ""
}

// deep calls f below n frames.
func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}
