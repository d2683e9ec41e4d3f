// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/gpumemtest"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

const mib = 1 << 20

// recorder is a test inside the test: it takes the complaints down.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	errors   []string
	logs     []string
	cleanups []func()
	dir      string
}

func record(t testing.TB) *recorder { return &recorder{TB: t} }

func (r *recorder) note(list *[]string, s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*list = append(*list, s)
}

func (r *recorder) Helper()                   {}
func (r *recorder) Error(args ...any)         { r.note(&r.errors, fmt.Sprint(args...)) }
func (r *recorder) Errorf(f string, a ...any) { r.note(&r.errors, fmt.Sprintf(f, a...)) }
func (r *recorder) Log(args ...any)           { r.note(&r.logs, fmt.Sprint(args...)) }
func (r *recorder) Logf(f string, a ...any)   { r.note(&r.logs, fmt.Sprintf(f, a...)) }
func (r *recorder) Failed() bool              { return len(r.errors) > 0 }
func (r *recorder) Cleanup(f func())          { r.cleanups = append(r.cleanups, f) }
func (r *recorder) ArtifactDir() string       { return r.dir }
func (r *recorder) Fatalf(f string, a ...any) {
	r.Errorf(f, a...)
	runtime.Goexit()
}

// finish ends the inner test and gives its complaints.
func (r *recorder) finish() string {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
	return strings.Join(r.errors, "\n")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func mustClose(t testing.TB, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// sink keeps what it is given reachable, as a global cache would.
var sink struct {
	sync.Mutex
	kept []any
}

func keep(v any) {
	sink.Lock()
	defer sink.Unlock()
	sink.kept = append(sink.kept, v)
}

//go:noinline
func plantBuffer(d *gpumem.Device) { keep(must(d.Alloc(3*mib, gpumem.Tag("input")))) }

//go:noinline
func plantView(d *gpumem.Device) {
	b := must(d.Alloc(64 * mib))
	keep(must(b.View(0, 512)))
	if err := b.Close(); err != nil { // the view keeps all of it
		panic(err)
	}
}

//go:noinline
func plantStream(d *gpumem.Device) { keep(must(d.NewStream())) }

//go:noinline
func plantEvent(d *gpumem.Device) { keep(must(d.NewEvent())) }

//go:noinline
func plantPool(d *gpumem.Device) { keep(must(d.NewPool("weights"))) }

//go:noinline
func plantArena(d *gpumem.Device) { keep(must(d.NewArena(4 * mib))) }

//go:noinline
func plantInGoroutine(d *gpumem.Device) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		keep(must(d.Alloc(2 * mib)))
	}()
	<-done
}

//go:noinline
func plantForTheCollector(d *gpumem.Device) {
	if b := must(d.Alloc(5 * mib)); b.Len() == 0 { // and nothing keeps it
		panic("empty")
	}
}

var plants = []struct {
	name  string
	plant func(*gpumem.Device)
	want  string // of the message, besides the function's name
}{
	{"buffer", plantBuffer, `[1 buffer, 3.00 MiB] leaked at`},
	{"view", plantView, `[1 view of 512 B keeping 64.00 MiB] leaked at`},
	{"stream", plantStream, `[1 stream] leaked at`},
	{"event", plantEvent, `[1 event] leaked at`},
	{"pool", plantPool, `[1 pool] leaked at`},
	{"arena", plantArena, `arena`},
	{"goroutine", plantInGoroutine, `[1 buffer, 2.00 MiB] leaked at`},
	{"collector", plantForTheCollector, `[1 buffer, 5.00 MiB] freed only by the garbage collector, made at`},
}

var functions = map[string]string{"buffer": "plantBuffer", "view": "plantView", "stream": "plantStream", "event": "plantEvent", "pool": "plantPool",
	"arena": "plantArena", "goroutine": "plantInGoroutine.func1", "collector": "plantForTheCollector"}

// TestEveryPlantedLeakIsNamed plants one leak of each kind, each in a test of
// its own, all in parallel.
func TestEveryPlantedLeakIsNamed(t *testing.T) {
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := record(t)
			p.plant(gpumemtest.New(r))
			got := r.finish()
			first := regexp.MustCompile(`(?m)^\[.*$`).FindString(got)
			if !strings.Contains(first, p.want) || !regexp.MustCompile(`leak_test\.go:\d+ gpumemtest_test\.`+functions[p.name]+` \(rule `+ruleOf(p.name)+`\)$`).MatchString(first) {
				t.Errorf("want %q with the site of %s, got\n%s", p.want, functions[p.name], got)
			}
			if !strings.Contains(got, "gpumemtest_test."+functions[p.name]+"\n\t\t") {
				t.Errorf("no stack in\n%s", got)
			}
		})
	}
}

// ruleOf is the rule that a planted leak is an instance of.
func ruleOf(plant string) string {
	switch plant {
	case "view":
		return "GM205"
	case "collector":
		return "GM404"
	}
	return "GM102"
}

// TestRules checks when a leak is said to be of a narrower rule, and that each
// rule has a page.
func TestRules(t *testing.T) {
	leaks := func(plant func(d *gpumem.Device), opts ...gpumemtest.Option) (rules []string) {
		t.Helper()
		d := gpumemtest.New(record(t), opts...)
		plant(d)
		var e *gpumemtest.LeakError
		if !errors.As(gpumemtest.Find(append(opts, gpumemtest.Devices(d))...), &e) {
			t.Fatal("no leak found")
		}
		for _, l := range e.Leaks {
			rules = append(rules, l.Rule)
			if _, err := os.Stat(filepath.Join("..", "..", "docs", "rules", l.Rule+".md")); err != nil {
				t.Errorf("the rule has no page: %v", err)
			}
		}
		return rules
	}
	for want, got := range map[string][]string{
		"GM102": leaks(func(d *gpumem.Device) {
			for range 2 { // in one step
				plantBuffer(d)
			}
		}),
		"GM203": leaks(func(d *gpumem.Device) {
			for range 3 {
				plantBuffer(d)
				d.Step()
			}
		}),
		"GM101": leaks(func(d *gpumem.Device) {
			plantBuffer(d)
			if _, err := d.Alloc(64 * mib); err == nil {
				t.Error("the allocation did not fail")
			}
		}, gpumemtest.FailAllocFrom(2)),
		"GM205": leaks(plantView),
	} {
		if len(got) != 1 || got[0] != want {
			t.Errorf("rules %v, want %s", got, want)
		}
	}
}

// TestAllPlantedLeaksAtOnce has them all on one device.
func TestAllPlantedLeaksAtOnce(t *testing.T) {
	r := record(t)
	d := gpumemtest.New(r)
	for _, p := range plants {
		for range 3 {
			p.plant(d)
		}
	}
	got := r.finish()
	for _, p := range plants {
		if strings.Count(got, "gpumemtest_test."+functions[p.name]+"\n") == 0 {
			t.Errorf("%s is missing in\n%s", p.name, got)
		}
	}
	if !strings.Contains(got, "[3 buffers, 9.00 MiB] leaked at") {
		t.Errorf("three leaks of one site are not counted together:\n%s", got)
	}
}

func TestLeakTextSaysEverything(t *testing.T) {
	r := record(t)
	now := time.Now().Add(-3 * time.Hour)
	d := gpumemtest.New(r, gpumemtest.With(gpumem.WithClock(func() time.Time { return now })))
	s := must(d.NewStream())
	keep(must(d.Alloc(3*mib, gpumem.Tag("input"), gpumem.On(s))))
	for range 3 {
		d.Step()
	}
	mustClose(t, s)
	got := r.finish()
	for _, want := range []string{"found unexpected GPU allocations:\n", "\tage 3 steps, stream ", `pool large, tag "input"`,
		"driver confirms: reserved +", "process +", "run go test -artifacts to keep a snapshot"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	r = record(t)
	d = gpumemtest.New(r, gpumemtest.With(gpumem.WithClock(func() time.Time { return now })))
	keep(must(d.Alloc(512, gpumem.At(gpumem.RegisterSite("cache.go:41 load")))))
	if got := r.finish(); !strings.Contains(got, "[1 buffer, 512 B] leaked at cache.go:41 load (rule GM102)\n\tage 3h0m0s, stream 0, pool small\n") {
		t.Errorf("got\n%s", got)
	}
}

// TestNoFalseAlarms runs ten thousand parallel tests that release everything,
// each in one of the ways people do.
func TestNoFalseAlarms(t *testing.T) {
	groups, each := 100, 100
	if testing.Short() || raceEnabled {
		groups = 10
	}
	var tests, alarms atomic.Int64
	for g := range groups {
		t.Run("group", func(t *testing.T) {
			for i := range each {
				t.Run("", func(t *testing.T) {
					t.Parallel()
					tests.Add(1)
					r := record(t)
					release(t, gpumemtest.New(r), g*each+i)
					if got := r.finish(); got != "" && alarms.Add(1) < 5 {
						t.Errorf("way %d: %s", (g*each+i)%ways, got)
					}
				})
			}
		})
	}
	if tests.Load() != int64(groups*each) {
		t.Errorf("%d tests ran, not %d", tests.Load(), groups*each)
	}
}

const ways = 6

// wrapper is a user's type that leaves its buffer to a cleanup of its own.
type wrapper struct{ b gpumem.Buffer }

func release(t testing.TB, d *gpumem.Device, i int) {
	b := must(d.Alloc(int64(1+i%7)*100_000, gpumem.Tag("work")))
	switch i % ways {
	case 0:
		mustClose(t, b)
	case 1: // a goroutine that is still at it when the test ends
		go func() {
			time.Sleep(time.Duration(i%5) * 100 * time.Microsecond)
			mustClose(t, b)
		}()
	case 2: // garbage: closed by the user's own AddCleanup
		w := &wrapper{b}
		runtime.AddCleanup(w, func(b gpumem.Buffer) { mustClose(t, b) }, b)
		w.b.Len()
	case 3: // a stream's work, and a view that outlives the buffer
		s := must(d.NewStream())
		v := must(b.View(10, 10))
		if err := b.UsedOn(s); err != nil {
			t.Error(err)
		}
		mustClose(t, b)
		mustClose(t, v)
		mustClose(t, s)
	case 4: // many goroutines
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { mustClose(t, must(d.Alloc(4096))) })
		}
		wg.Wait()
		mustClose(t, b)
	case 5: // the device closed by the test
		mustClose(t, b)
		mustClose(t, d)
	}
}

func TestOptionsIgnore(t *testing.T) {
	const fn = "github.com/gpumemlint/gpumemlint/runtime/gpumemtest_test.plantBuffer"
	for name, c := range map[string]struct {
		opt    gpumemtest.Option
		ignore bool
	}{
		"site":           {gpumemtest.IgnoreSite(fn), true},
		"other site":     {gpumemtest.IgnoreSite(fn + "x"), false},
		"caller as site": {gpumemtest.IgnoreSite("testing.tRunner"), false},
		"any function":   {gpumemtest.IgnoreAnyFunction("testing.tRunner"), true},
		"other function": {gpumemtest.IgnoreAnyFunction("testing.tRunners"), false},
		"tag":            {gpumemtest.IgnoreTag("input"), true},
		"other tag":      {gpumemtest.IgnoreTag("output"), false},
		"tolerance":      {gpumemtest.Tolerance(3 * mib), true},
		"too little":     {gpumemtest.Tolerance(3*mib - 1), false},
	} {
		r := record(t)
		plantBuffer(gpumemtest.New(r, c.opt))
		if got := r.finish(); (got == "") != c.ignore {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestIgnoreCurrentIsExact(t *testing.T) {
	d := gpumemtest.New(t)
	old := must(d.Alloc(mib))
	opts := []gpumemtest.Option{gpumemtest.IgnoreCurrent(), gpumemtest.Devices(d)}
	if err := gpumemtest.Find(opts...); err != nil {
		t.Errorf("what was there before: %v", err)
	}
	mustClose(t, old)
	swapped := must(d.Alloc(mib)) // at the same address, with the same bytes in use as before
	err := gpumemtest.Find(opts...)
	if !errors.Is(err, gpumem.ErrLeak) || swapped.Ptr() != old.Ptr() {
		t.Errorf("one released and one leaked: %v", err)
	}
	mustClose(t, swapped)
	if err := gpumemtest.Find(opts...); err != nil {
		t.Error(err)
	}
}

func TestBudgets(t *testing.T) {
	d := gpumemtest.New(t)
	mustClose(t, must(d.Alloc(8*mib)))
	if err := gpumemtest.Find(gpumemtest.Devices(d), gpumemtest.MaxPeak(8*mib)); err != nil {
		t.Error(err)
	}
	err := gpumemtest.Find(gpumemtest.Devices(d), gpumemtest.MaxPeak(8*mib-1))
	if err == nil || errors.Is(err, gpumem.ErrLeak) || !regexp.MustCompile(`8\.00 MiB \(8388608 bytes\) were allocated at the peak.*most by leak_test\.go:\d+ gpumemtest_test\.TestBudgets 8\.00 MiB`).MatchString(err.Error()) {
		t.Errorf("got %v", err)
	}
}

func TestFailedTestsAreNotBlamedForLeaks(t *testing.T) {
	for _, always := range []bool{false, true} {
		r := record(t)
		var opts []gpumemtest.Option
		if always {
			opts = append(opts, gpumemtest.RunOnFailure())
		}
		plantBuffer(gpumemtest.New(r, opts...))
		r.Error("something else is wrong")
		if got := r.finish(); strings.Contains(got, "leaked at") != always {
			t.Errorf("RunOnFailure %v: got %q", always, got)
		}
	}
}

func TestFaultsReachTheProgram(t *testing.T) {
	d := gpumemtest.New(t, gpumemtest.FailAllocFrom(2), gpumemtest.With(gpumem.WithPressureGC(false)))
	first := must(d.Alloc(8 * mib))
	var oom *gpumem.OOMError
	if _, err := d.Alloc(64 * mib); !errors.As(err, &oom) {
		t.Errorf("the second request: %v", err)
	}
	mustClose(t, first)

	d = gpumemtest.New(t, gpumemtest.FailAlloc(2))
	first = must(d.Alloc(8 * mib))
	second, err := d.Alloc(64 * mib) // fails once, and the allocator tries again
	if err != nil {
		t.Errorf("one failure: %v", err)
	} else {
		mustClose(t, second)
	}
	mustClose(t, first)
	var s gpumem.Stats
	if d.ReadStats(&s); s.NumAllocRetries == 0 {
		t.Error("the allocator noticed no failure")
	}
}

func TestMissingWaitFailsTheTest(t *testing.T) {
	r := record(t)
	d := gpumemtest.New(r, gpumemtest.Simulate(simdrv.Config{Capacity: 1 << 30}))
	sim := d.Driver().(*simdrv.Device)
	s := must(sim.NewStream())
	b := must(d.Alloc(mib))
	// The program tells the device, but not the allocator, that a stream uses b.
	if err := sim.Launch(s, time.Second, b.Ptr(), b.Len()); err != nil {
		t.Fatal(err)
	}
	mustClose(t, b)
	mustClose(t, must(d.Alloc(mib)))
	if got := r.finish(); !strings.Contains(got, "missing wait: ") {
		t.Errorf("got %q", got)
	}
}

func TestGrowthOutsideIsOnlyLogged(t *testing.T) {
	r := record(t)
	d := gpumemtest.New(r, gpumemtest.Simulate(simdrv.Config{Capacity: 1 << 30}))
	d.Driver().(*simdrv.Device).SetForeign(100 * mib)
	if got := r.finish(); got != "" || !strings.Contains(strings.Join(r.logs, "\n"), "100.00 MiB more of the device's memory are in use outside") {
		t.Errorf("got %q, logged %q", got, r.logs)
	}
}

func TestUntrackedLeaksAreFoundWithoutSite(t *testing.T) {
	r := record(t)
	plantBuffer(gpumemtest.New(r, gpumemtest.With(gpumem.WithTracking(gpumem.TrackOff))))
	if got := r.finish(); !strings.Contains(got, "leaked at unknown") || !strings.Contains(got, "gpumem.WithTracking(gpumem.TrackStack)") {
		t.Errorf("got %q", got)
	}
}

func TestSnapshotIsKept(t *testing.T) {
	f := flag.Lookup("test.artifacts")
	if f == nil {
		t.Skip("this Go has no artifact directories")
	}
	was := f.Value.String()
	defer f.Value.Set(was)
	r := record(t)
	r.dir = t.TempDir()
	d := gpumemtest.New(r, gpumemtest.RunOnFailure())
	plantBuffer(d)
	if err := f.Value.Set("true"); err != nil {
		t.Fatal(err)
	}
	gpumemtest.VerifyNone(r, gpumemtest.Devices(d))
	got := r.finish()
	for _, name := range []string{"gpumem-leak.json", "gpumem-leak-1.json"} {
		name = filepath.Join(r.dir, name)
		data, err := os.ReadFile(name)
		if err != nil || !strings.Contains(got, "snapshot: "+name) {
			t.Fatalf("%v; got\n%s", err, got)
		}
		s, err := memviz.Read(data)
		if err != nil || s.Allocated(0) != 3*mib {
			t.Errorf("%s: %v, %d bytes", name, err, s.Allocated(0))
		}
	}
}

func TestFindSpeaksOfEveryDevice(t *testing.T) {
	a, b := gpumemtest.New(t), gpumemtest.New(t, gpumemtest.Simulate(simdrv.Config{Ordinal: 1, Name: "second"}))
	x, y := must(a.Alloc(mib)), must(b.Alloc(2*mib))
	var leak *gpumemtest.LeakError
	if err := gpumemtest.Find(gpumemtest.Devices(a, b)); !errors.As(err, &leak) || len(leak.Leaks) != 2 || leak.Leaks[0].Device != "second" {
		t.Errorf("got %v", err)
	} else if !strings.Contains(leak.Error(), ", on second") {
		t.Errorf("the devices are not named in\n%v", leak)
	}
	mustClose(t, x)
	mustClose(t, y)
}

// TestInBubble checks that the retries, which sleep, work in fake time too.
func TestInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := record(t)
		d := gpumemtest.New(r)
		b := must(d.Alloc(mib))
		go func() {
			time.Sleep(50 * time.Millisecond)
			mustClose(t, b)
		}()
		if got := r.finish(); got != "" {
			t.Errorf("a goroutine had time to release it: %s", got)
		}
		r = record(t)
		plantBuffer(gpumemtest.New(r))
		if got := r.finish(); !strings.Contains(got, "plantBuffer") {
			t.Errorf("a leak in a bubble: %q", got)
		}
	})
}

func BenchmarkVerifyClean(b *testing.B) {
	d := gpumemtest.New(b)
	for b.Loop() {
		gpumemtest.VerifyNone(b, gpumemtest.Devices(d))
	}
}

func BenchmarkVerifyLeaking(b *testing.B) {
	d := gpumemtest.New(b)
	buf := must(d.Alloc(mib))
	for b.Loop() {
		if gpumemtest.Find(gpumemtest.Devices(d)) == nil {
			b.Fatal("no leak found")
		}
	}
	mustClose(b, buf)
}
