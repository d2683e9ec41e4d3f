// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"
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

func TestLeakIsLive(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		a, _ := newBuf(false)
		b, _ := newBuf(false)
		if _, err := newBuf(true); err == nil {
			t.Error("no error")
		}
		a.Close()
		b.Use()
	})
	rec := one(t, read())
	if rec.Kind != KindTest || rec.Test != "TestX" || rec.Run != 1 {
		t.Errorf("got %+v, want the record of TestX", rec)
	}
	if len(rec.Sites) != 2 || rec.Sites[0].Released != 1 || rec.Sites[1].Live != 1 {
		t.Fatalf("sites %+v, want two, the first released, the second live", rec.Sites)
	}
	if len(rec.Live) != 1 || rec.Live[0].Site != rec.Sites[1].Site || rec.Live[0].Class != "t.buf" || rec.Live[0].Escaped {
		t.Errorf("live %+v, want the one of the second site", rec.Live)
	}
	st := rec.Sites[1].Stack
	if !strings.HasSuffix(st[0].Func, "track.newBuf") || !st[0].Library || userFrame(st) != "track.TestLeakIsLive.func1" {
		t.Errorf("stack %+v, want newBuf, marked as library, then the test", st)
	}
}

func TestRightCodeIsClean(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(f *fakeTest) {
		a, _ := newBuf(false)
		f.Cleanup(a.Close)
		b, _ := newBuf(false)
		if take(b, true) == nil {
			t.Error("no error")
		}
		b.Use() // still there: the call failed
		if take(b, false) != nil {
			t.Error("error")
		}
		c, done := borrow()
		c.Use()
		done()
		list := make([]*buf, 2)
		list[0], _ = newBuf(false)
		fill(list)
		for _, e := range list {
			e.Close()
		}
		d, _ := newBuf(false)
		if tryFree(d, false) != nil || tryFree(d, true) == nil {
			t.Error("wrong result")
		}
	})
	rec := one(t, read())
	if len(rec.Live) != 0 {
		t.Errorf("live %+v, want nothing", rec.Live)
	}
	if got := len(rec.Sites); got != 6 {
		t.Errorf("%d sites %+v, want 6", got, rec.Sites)
	}
}

func TestDoubleReleaseAndUseAfter(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		a, _ := newBuf(false)
		a.Close()
		a.Use()
		a.Close()
	})
	records := read()
	if len(records) != 3 {
		t.Fatalf("got %+v, want two misuses and the test", records)
	}
	for i, want := range []string{UseAfterRelease, DoubleRelease} {
		rec := records[i]
		if rec.Kind != KindMisuse || rec.Misuse != want || rec.Test != "TestX" || rec.Class != "t.buf" {
			t.Errorf("record %d is %+v, want %s", i, rec, want)
		}
		for what, st := range map[string][]Frame{"misuse": rec.Stack, "acquisition": rec.Acquire, "release": rec.Release} {
			if userFrame(st) != "track.TestDoubleReleaseAndUseAfter.func1" {
				t.Errorf("%s: the stack of the %s is %+v", want, what, st)
			}
		}
	}
}

// An address that comes back is another allocation.
func TestReusedAddress(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		var p uintptr
		for range 3 {
			if malloc(&p, 0xdead0, 0) != 0 {
				t.Error("status")
			}
			free(p)
		}
		if malloc(&p, 0xdead0, 2) != 2 { // fails: nothing acquired
			t.Error("status")
		}
		malloc(&p, 0xdead0, 0)
	})
	rec := one(t, read())
	if len(rec.Live) != 1 || rec.Live[0].ID != 4 || rec.Live[0].Escaped {
		t.Errorf("live %+v, want the fourth allocation", rec.Live)
	}
	for _, s := range rec.Sites {
		if userFrame(s.Stack[1:]) != "track.TestReusedAddress.func1" {
			t.Errorf("stack %+v: the literal around a C call must be left out", s.Stack)
		}
	}
}

// A handle that was freed in a way that no model knows is no certain leak, and
// what comes after it at the same address no double release.
func TestReusedAddressUnseen(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		var p uintptr
		malloc(&p, 0xbeef0, 0)
		malloc(&p, 0xbeef0, 0)
		free(p)
		free(p)
	})
	if rec := one(t, read()); len(rec.Live) != 0 {
		t.Errorf("live %+v, want nothing", rec.Live)
	}
}

func TestMaybeReleasedIsNotCertain(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		b, _ := newBuf(false)
		func() { defer F(fnMaybe, b).Out() }()
	})
	if rec := one(t, read()); len(rec.Live) != 1 || !rec.Live[0].Escaped {
		t.Errorf("live %+v, want one that is not certain", rec.Live)
	}
}

func TestProcessClass(t *testing.T) {
	read := fresh(t, "")
	initialise := func() { defer F(fnInit).Out() }
	shutdown := func() { defer F(fnShutdown).Out() }
	runTest("TestX", func(*fakeTest) {
		initialise()
		initialise()
		shutdown()
	})
	if rec := one(t, read()); len(rec.Live) != 1 || !rec.Live[0].Process {
		t.Errorf("live %+v, want the session, as one of the process", rec.Live)
	}
	runTest("TestY", func(*fakeTest) { shutdown() })
	records := read()
	if len(records) != 3 || records[1].Kind != KindLate || records[1].ID != records[0].Live[0].ID {
		t.Errorf("records %+v, want the session to be taken back", records)
	}
}

func TestCollected(t *testing.T) {
	read := fresh(t, "")
	var kept *buf
	runTest("TestX", func(*fakeTest) {
		newAuto()
		kept = newAuto()
	})
	rec := one(t, read())
	if len(rec.Live) != 1 || !rec.Live[0].Backstop || len(rec.Sites) != 2 || rec.Sites[0].Collected != 1 {
		t.Errorf("got %+v, want the first to be collected and the second live", rec)
	}
	runtime.KeepAlive(kept)
}

// Each of the tests that run at the same time is charged for its own only.
func TestParallel(t *testing.T) {
	read := fresh(t, "")
	var all sync.WaitGroup
	var mu sync.Mutex
	var foreign []*buf
	for _, name := range []string{"TestA", "TestB", "TestC", "TestD"} {
		all.Add(1)
		go func() {
			defer all.Done()
			runTest(name, func(*fakeTest) {
				var wg sync.WaitGroup
				for range 8 {
					wg.Add(1)
					go func() {
						defer wg.Done()
						for range 50 {
							b, _ := newBuf(false)
							b.Close()
						}
						if name == "TestC" {
							b, _ := newBuf(false)
							mu.Lock()
							foreign = append(foreign, b)
							mu.Unlock()
						}
					}()
				}
				wg.Wait()
			})
		}()
	}
	all.Wait()
	records := read()
	if len(records) != 4 {
		t.Fatalf("%d records, want 4", len(records))
	}
	for _, rec := range records {
		want := 0
		if rec.Test == "TestC" {
			want = 8
		}
		if len(rec.Live) != want {
			t.Errorf("%s: %d live, want %d", rec.Test, len(rec.Live), want)
		}
	}
	runTest("TestE", func(*fakeTest) {
		for _, b := range foreign {
			b.Close()
		}
	})
	late := 0
	for _, rec := range read() {
		if rec.Kind == KindLate && rec.Test == "TestC" {
			late++
		}
	}
	if late != 8 {
		t.Errorf("%d taken back, want 8", late)
	}
}

// What a subtest leaves may be released by its parent.
func TestSubtests(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		var kept *buf
		runTest("TestX/sub", func(*fakeTest) { kept, _ = newBuf(false) })
		runTest("TestX/leaks", func(*fakeTest) { newBuf(false) })
		kept.Close()
	})
	rec := one(t, read())
	if rec.Test != "TestX" || len(rec.Live) != 1 || rec.Live[0].Test != "TestX/leaks" {
		t.Errorf("got %+v, want one leak, of TestX/leaks", rec)
	}
}

func TestOnce(t *testing.T) {
	read := fresh(t, "")
	var once sync.Once
	runTest("TestX", func(*fakeTest) { once.Do(func() { newBuf(false) }) })
	if rec := one(t, read()); len(rec.Live) != 1 || !rec.Live[0].Once {
		t.Errorf("live %+v, want one that is made once", rec.Live)
	}
}

func TestInject(t *testing.T) {
	read := fresh(t, "p1@2")
	open := func() (*buf, error) { return Inject(0, 0, newBuf)(false) }
	status := func(p *uintptr) int32 {
		return Inject(1, 0, func(p *uintptr, more ...int) int32 { *p = 7; return 0 })(p, 1, 2)
	}
	var got []int32
	runTest("TestX", func(*fakeTest) {
		if b, err := open(); b == nil || err != nil {
			t.Error("the point that was not chosen failed")
		}
		for range 3 {
			var p uintptr
			r := status(&p)
			if (r == 0) != (p == 7) {
				t.Errorf("status %d with %d: a call that fails must do nothing", r, p)
			}
			got = append(got, r)
		}
	})
	if len(got) != 3 || got[0] != 0 || got[1] != 2 || got[2] != 0 {
		t.Errorf("statuses %v, want the second call to fail with 2", got)
	}
	records := read()
	if len(records) != 2 || records[0].Kind != KindInject || records[0].Point != "p1" || records[0].Test != "TestX" {
		t.Fatalf("records %+v, want the injection and the test", records)
	}
	if want := []Point{{"p0", 1}, {"p1", 3}}; len(records[1].Points) != 2 || records[1].Points[0] != want[0] || records[1].Points[1] != want[1] {
		t.Errorf("points %+v, want %+v", records[1].Points, want)
	}
}

func TestInjectedResults(t *testing.T) {
	type named func(int) (unsafe.Pointer, bool)
	fresh(t, "p0")
	runTest("TestX", func(*fakeTest) {
		b, err := Inject(0, 0, newBuf)(false)
		var failure *Failure
		if b != nil || !errors.As(err, &failure) || failure.Point != "p0" {
			t.Errorf("got %v, %v, want nil and the failure", b, err)
		}
	})
	fresh(t, "p0")
	runTest("TestX", func(*fakeTest) {
		if p, ok := Inject(0, 0, named(func(int) (unsafe.Pointer, bool) { return unsafe.Pointer(new(int)), true }))(1); p != nil || ok {
			t.Errorf("got %v, %v, want nil and false", p, ok)
		}
	})
	fresh(t, "p0")
	runTest("TestX", func(*fakeTest) {
		var status uint8
		var errno error
		if !Fail(0, 2, &status, &errno) || status != 1 || errno == nil {
			t.Errorf("got %d, %v, want 1, since 2 is success here, and an error", status, errno)
		}
	})
}

// A cache that grows by one an iteration is a straight line, a buffer that is
// released is none.
func TestLoops(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		var cache []*buf
		loop := Enter(0)
		for range 1000 {
			loop.Next()
			b, _ := newBuf(false)
			b.Close()
			c, _ := newBuf(false)
			cache = append(cache, c)
		}
		for _, c := range cache {
			c.Close()
		}
	})
	rec := one(t, read())
	if len(rec.Loops) != 1 || rec.Loops[0].Line != 7 || rec.Loops[0].Iterations != 1000 {
		t.Fatalf("loops %+v, want one of 1000 iterations", rec.Loops)
	}
	loop := rec.Loops[0]
	if len(loop.Series) != 1 {
		t.Fatalf("series %+v, want that of the cache", loop.Series)
	}
	points := loop.Series[0].Points
	if len(points) < 30 || len(points) > 64 || points[len(points)-1][0] < 900 {
		t.Errorf("%d samples up to %v, want between 30 and 64 over all iterations", len(points), points[len(points)-1])
	}
	for _, p := range points {
		if p[0] != p[1] {
			t.Errorf("iteration %d: %d live, want as many", p[0], p[1])
		}
	}
}

// What the collector frees is no growth; what a cache of such things keeps is.
func TestLoopsOfCollected(t *testing.T) {
	read := fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		var cache []*buf
		loop := Enter(0)
		for range 40 {
			loop.Next()
			newAuto()
			cache = append(cache, newAuto())
		}
		runtime.KeepAlive(cache)
	})
	rec := one(t, read())
	if len(rec.Loops) != 1 {
		t.Fatalf("loops %+v, want one", rec.Loops)
	}
	for _, s := range rec.Loops[0].Series {
		last := s.Points[len(s.Points)-1]
		kept := s.Site == rec.Sites[1].Site
		if kept && last != [2]int{32, 32} || !kept && last[1] > 2 {
			t.Errorf("site %d ends with %v; the cache (site %d) has 32 at iteration 32, the other next to none", s.Site, last, rec.Sites[1].Site)
		}
	}
}

// A history keeps its first point, its highest and its last, however long it is.
func TestHistory(t *testing.T) {
	for _, length := range []int{1, 2, 63, 64, 65, 300, 5000} {
		var h history
		for i := range length {
			live := i % 7
			if i == length/3 {
				live = 99
			}
			h.add(int64(i), live)
		}
		got := h.thin(maxSamples)
		peak := 0
		for i, p := range got {
			peak = max(peak, p[1])
			if i > 0 && p[0] <= got[i-1][0] {
				t.Fatalf("length %d: points %v are not in order", length, got)
			}
		}
		if len(got) > maxSamples || got[0][0] != 0 || got[len(got)-1][0] != length-1 || peak != 99 {
			t.Errorf("length %d: %d points from %v to %v, peak %d", length, len(got), got[0], got[len(got)-1], peak)
		}
	}
}

func TestNoLedger(t *testing.T) {
	old := std
	std = open("", "")
	t.Cleanup(func() { std = old })
	runTest("TestX", func(*fakeTest) {
		b, _ := newBuf(false)
		b.Close()
		b.Close()
		loop := Enter(0)
		loop.Next()
	})
}

func TestPackageOf(t *testing.T) {
	for function, want := range map[string]string{
		"example.com/a/b.F":                          "example.com/a/b",
		"example.com/a%2eb.(*T).M":                   "example.com/a.b",
		"gopkg.in/yaml%2ev3.F":                       "gopkg.in/yaml.v3",
		"example.com/a.F[go.shape.*example.com/x.T]": "example.com/a",
		"main.main":                                  "main",
	} {
		if got := packageOf(function); got != want {
			t.Errorf("packageOf(%q) = %q, want %q", function, got, want)
		}
	}
}

func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}

// BenchmarkEvent is an acquisition and a release, with 16 frames below them.
func BenchmarkEvent(b *testing.B) {
	fresh(b, "")
	runTest("TestX", func(*fakeTest) {
		deep(16, func() {
			b.ReportAllocs()
			for b.Loop() {
				x, _ := newBuf(false)
				x.Close()
			}
		})
	})
}
