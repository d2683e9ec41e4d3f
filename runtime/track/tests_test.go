// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"context"
	"errors"
	"runtime"
	"runtime/pprof"
	"sync"
	"testing"
	"unsafe"
)

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

// Labels that the program sets hide those of the test, for itself and for what
// it starts.
func TestForeignLabels(t *testing.T) {
	read := fresh(t, "")
	leak := func() {
		newBuf(false)
		done := make(chan bool)
		go func() { defer close(done); newBuf(false) }()
		<-done
	}
	runTest("TestX", func(*fakeTest) {
		pprof.Do(context.Background(), pprof.Labels("k", "v"), func(context.Context) { leak() })
	})
	if rec := one(t, read()); len(rec.Live) != 2 {
		t.Errorf("live %+v, want both", rec.Live)
	}
	// The context that pprof.Do is given has no labels, and none are left behind it.
	read = fresh(t, "")
	runTest("TestX", func(*fakeTest) {
		pprof.Do(context.Background(), pprof.Labels("k", "v"), func(context.Context) { leak() })
		leak()
	})
	if rec := one(t, read()); len(rec.Live) != 4 {
		t.Errorf("live %+v, want the two behind pprof.Do as well", rec.Live)
	}
	// Labels that one test was seen with are not that test's once it has ended.
	read = fresh(t, "")
	kept := pprof.WithLabels(context.Background(), pprof.Labels("k", "v"))
	for _, name := range []string{"TestX", "TestY"} {
		runTest(name, func(*fakeTest) {
			pprof.SetGoroutineLabels(kept)
			leak()
			leak()
		})
	}
	for _, rec := range read() {
		if len(rec.Live) != 4 {
			t.Errorf("%s: live %+v, want its own four", rec.Test, rec.Live)
		}
	}
	read = fresh(t, "")
	// The same labels for two tests: their goroutines cannot be told apart.
	shared := pprof.WithLabels(context.Background(), pprof.Labels("k", "v"))
	seen, both := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	for _, name := range []string{"TestA", "TestB"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			runTest(name, func(*fakeTest) {
				pprof.SetGoroutineLabels(shared)
				newBuf(false)
				seen <- true
				<-both
				leak()
			})
		}()
	}
	<-seen
	<-seen
	close(both)
	wg.Wait()
	for _, rec := range read() {
		if len(rec.Live) != 2 {
			t.Errorf("%s: live %+v, want the two of its own goroutine", rec.Test, rec.Live)
		}
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
		got := h.thin(nil, maxSamples)
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
