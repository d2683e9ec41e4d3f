// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package weakcache_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/gpumemtest"
	"github.com/gpumemlint/gpumemlint/runtime/weakcache"
)

const mib = 1 << 20

type cache = weakcache.Cache[string, gpumem.Buffer]
type lease = weakcache.Lease[string, gpumem.Buffer]

// newCache gives a cache of buffers that remembers in which order it closed.
func newCache(t *testing.T, budget int64) (*cache, *[]string) {
	t.Helper()
	var closed []string
	var mu sync.Mutex
	c, err := weakcache.New(weakcache.Config[string, gpumem.Buffer]{Budget: budget, Size: gpumem.Buffer.Cap,
		Close: func(k string, b gpumem.Buffer) error {
			mu.Lock()
			closed = append(closed, k)
			mu.Unlock()
			return b.Close()
		}})
	if err != nil {
		t.Fatal(err)
	}
	return c, &closed
}

// put makes a buffer of so many MiB.
func put(t *testing.T, c *cache, d *gpumem.Device, k string, n int64) *lease {
	t.Helper()
	b, err := d.Alloc(n * mib)
	if err != nil {
		t.Fatal(err)
	}
	l, err := c.Put(k, b)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func end(t *testing.T, all ...interface{ Close() error }) {
	t.Helper()
	for _, c := range all {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func has(c *cache, k string) bool {
	l, ok := c.Get(k)
	if ok {
		l.Close()
	}
	return ok
}

// TestBudget keeps the last used values.
func TestBudget(t *testing.T) {
	d := gpumemtest.New(t)
	c, closed := newCache(t, 10*mib)
	for _, k := range []string{"a", "b", "c"} {
		end(t, put(t, c, d, k, 3))
	}
	if !has(c, "a") { // now the last used
		t.Error("a is gone, and the budget is kept")
	}
	end(t, put(t, c, d, "d", 4))
	if want := []string{"b"}; !slices.Equal(*closed, want) {
		t.Errorf("closed %v, want %v", *closed, want)
	}
	if s := c.Stats(); s.Entries != 3 || s.Bytes != 10*mib || s.Beyond != 0 || s.Evictions != 1 || s.Hits != 1 {
		t.Errorf("stats %+v", s)
	}
	end(t, put(t, c, d, "huge", 11))
	if has(c, "huge") || !has(c, "a") || !has(c, "c") || !has(c, "d") {
		t.Error("a value above the budget is kept, or has pushed others out")
	}
	end(t, c)
	if slices.Sort(*closed); !slices.Equal(*closed, []string{"a", "b", "c", "d", "huge"}) {
		t.Errorf("closed %v", *closed)
	}
	if err := c.Close(); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
}

// TestLeasedValuesLive beyond the budget, are found again, and closed with the
// last lease.
func TestLeasedValuesLive(t *testing.T) {
	d := gpumemtest.New(t)
	c, closed := newCache(t, 0)
	first := put(t, c, d, "a", 3)
	second, ok := c.Get("a")
	if !ok || second.Value() != first.Value() {
		t.Fatal("a value in use is not found")
	}
	end(t, first)
	runtime.GC()
	if !second.Value().Valid() || !has(c, "a") || len(*closed) != 0 {
		t.Errorf("closed %v under a lease", *closed)
	}
	if s := c.Stats(); s.Entries != 0 || s.Bytes != 0 || s.Beyond != 3*mib {
		t.Errorf("stats %+v", s)
	}
	b := second.Value()
	end(t, second)
	if b.Valid() || has(c, "a") || len(*closed) != 1 || c.Stats().Beyond != 0 {
		t.Errorf("after the last lease: closed %v, stats %+v", *closed, c.Stats())
	}
	if err := second.Close(); !errors.Is(err, gpumem.ErrClosed) || second.Value().Valid() {
		t.Errorf("closed twice: %v", err)
	}
	end(t, c)
}

// TestComesBack: a value that was pushed out while it was used is the last used
// one when its use ends.
func TestComesBack(t *testing.T) {
	d := gpumemtest.New(t)
	c, closed := newCache(t, 6*mib)
	a := put(t, c, d, "a", 3)
	end(t, put(t, c, d, "b", 3), put(t, c, d, "c", 3))
	if s := c.Stats(); s.Beyond != 3*mib || s.Bytes != 6*mib {
		t.Errorf("stats %+v", s)
	}
	end(t, a)
	if !has(c, "a") || !has(c, "c") || has(c, "b") || !slices.Equal(*closed, []string{"b"}) {
		t.Errorf("closed %v", *closed)
	}
	end(t, c)
}

// TestReplace closes the older value with its last lease.
func TestReplace(t *testing.T) {
	d := gpumemtest.New(t)
	c, closed := newCache(t, 100*mib)
	old := put(t, c, d, "k", 1)
	fresh := put(t, c, d, "k", 2)
	if l, ok := c.Get("k"); !ok || l.Value() != fresh.Value() {
		t.Error("the older value is found")
	} else {
		end(t, l)
	}
	if !old.Value().Valid() || len(*closed) != 0 {
		t.Error("the older value is closed under its lease")
	}
	end(t, old)
	if len(*closed) != 1 {
		t.Errorf("closed %v", *closed)
	}
	end(t, fresh, put(t, c, d, "k", 3))
	if len(*closed) != 2 {
		t.Errorf("closed %v, want both older values", *closed)
	}
	// Close with a lease out: the value is closed with it.
	last, _ := c.Get("k")
	end(t, c)
	if !last.Value().Valid() || has(c, "k") {
		t.Error("a closed cache closes what is used, or finds it")
	}
	end(t, last)
	b, err := d.Alloc(mib)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := c.Put("late", b); l != nil || !errors.Is(err, gpumem.ErrClosed) || b.Valid() {
		t.Errorf("put into a closed cache: %v", err)
	}
}

// TestPressure: an allocation that would fail gets what nobody uses.
func TestPressure(t *testing.T) {
	d := gpumemtest.New(t, gpumemtest.Simulate(simdrv.Config{Capacity: 100 * mib}))
	c, closed := newCache(t, 1<<40)
	remove := c.Attach(d)
	used := put(t, c, d, "used", 20)
	end(t, put(t, c, d, "old", 20), put(t, c, d, "new", 20))
	b, err := d.Alloc(50 * mib)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(*closed, []string{"old", "new"}) || !used.Value().Valid() {
		t.Errorf("closed %v", *closed)
	}
	if _, err := d.Alloc(70 * mib); !errors.Is(err, gpumem.ErrOutOfMemory) {
		t.Errorf("nothing is left to close: %v", err)
	}
	remove()
	end(t, b, used, c)
}

// TestLostLease: a lease that is never closed is found by the garbage collector,
// once the value is not kept, and counted.
func TestLostLease(t *testing.T) {
	d := gpumemtest.New(t, gpumemtest.With(gpumem.WithRescue(false)))
	c, closed := newCache(t, 0)
	func() { put(t, c, d, "lost", 3) }()
	for deadline := time.Now().Add(10 * time.Second); c.Stats().Lost == 0 && time.Now().Before(deadline); {
		runtime.GC()
		has(c, "other")
		if _, err := c.Evict(0); err != nil {
			t.Fatal(err)
		}
	}
	if s := c.Stats(); s.Lost != 1 || s.Beyond != 0 || !slices.Equal(*closed, []string{"lost"}) || has(c, "lost") {
		t.Errorf("stats %+v, closed %v", s, *closed)
	}
	end(t, c)
}

// TestGetOrLoad shares one load, passes its error on, and begins anew where it
// was given up.
func TestGetOrLoad(t *testing.T) {
	d := gpumemtest.New(t)
	c, _ := newCache(t, 100*mib)
	var loads atomic.Int32
	load := func(context.Context) (gpumem.Buffer, error) {
		loads.Add(1)
		return d.Alloc(mib)
	}
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			l, err := c.GetOrLoad(context.Background(), "k", load)
			if err != nil {
				t.Error(err)
				return
			}
			end(t, l)
		})
	}
	wait.Wait()
	if loads.Load() != 1 {
		t.Errorf("%d loads of one value", loads.Load())
	}
	broken := errors.New("no such file")
	if _, err := c.GetOrLoad(context.Background(), "x", func(context.Context) (gpumem.Buffer, error) { return gpumem.Buffer{}, broken }); !errors.Is(err, broken) {
		t.Errorf("a load that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	begun := make(chan struct{})
	wait.Go(func() {
		_, err := c.GetOrLoad(ctx, "slow", func(ctx context.Context) (gpumem.Buffer, error) {
			close(begun)
			<-ctx.Done()
			return gpumem.Buffer{}, ctx.Err()
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("given up: %v", err)
		}
	})
	<-begun
	wait.Go(func() {
		l, err := c.GetOrLoad(context.Background(), "slow", load)
		if err != nil {
			t.Errorf("after another gave up: %v", err)
			return
		}
		end(t, l)
	})
	gone, stop := context.WithCancel(context.Background())
	stop()
	if _, err := c.GetOrLoad(gone, "slow", load); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is over: %v", err)
	}
	cancel()
	wait.Wait()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic of a load is lost")
			}
		}()
		_, _ = c.GetOrLoad(context.Background(), "p", func(context.Context) (gpumem.Buffer, error) { panic("x") })
	}()
	if l, err := c.GetOrLoad(context.Background(), "p", load); err != nil {
		t.Errorf("after a panic: %v", err)
	} else {
		end(t, l)
	}
	end(t, c)
	if _, err := c.GetOrLoad(context.Background(), "k", load); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("a closed cache: %v", err)
	}
}

// TestMany lets goroutines use a small cache; in the end all is closed once.
func TestMany(t *testing.T) {
	d := gpumemtest.New(t, gpumemtest.Simulate(simdrv.Config{NoRaceCheck: true}))
	c, closed := newCache(t, 5*mib)
	var loads atomic.Int64
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			for i := range 300 {
				k := fmt.Sprint((i*7 + g*3) % 20)
				l, err := c.GetOrLoad(context.Background(), k, func(context.Context) (gpumem.Buffer, error) {
					loads.Add(1)
					return d.Alloc(mib)
				})
				if err != nil {
					t.Error(err)
					return
				}
				if !l.Value().Valid() {
					t.Error("a leased value is closed")
				}
				if i%5 == 0 {
					if _, err := c.Evict(mib); err != nil {
						t.Error(err)
					}
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if s := c.Stats(); s.Beyond != 0 || s.Bytes > 5*mib {
		t.Errorf("stats %+v", s)
	}
	end(t, c)
	if int64(len(*closed)) != loads.Load() || loads.Load() < 100 {
		t.Errorf("%d values closed of %d", len(*closed), loads.Load())
	}
}

func TestConfig(t *testing.T) {
	if _, err := weakcache.New(weakcache.Config[int, int]{}); !errors.Is(err, gpumem.ErrInvalid) {
		t.Errorf("no Size and no Close: %v", err)
	}
}

func ExampleNew() {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{Capacity: 64 << 20}))
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := weakcache.New(weakcache.Config[string, gpumem.Buffer]{
		Budget: 32 << 20,
		Size:   gpumem.Buffer.Cap,
		Close:  func(_ string, b gpumem.Buffer) error { return b.Close() },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Attach(d)() // gives way where memory is short
	for _, name := range []string{"cat", "dog", "cat"} {
		embedding, err := c.GetOrLoad(context.Background(), name, func(context.Context) (gpumem.Buffer, error) {
			return d.Alloc(16 << 20) // and fill it
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		// Use embedding.Value() …
		embedding.Close()
	}
	s := c.Stats()
	fmt.Println(s.Hits, s.Misses, gpumem.Bytes(s.Bytes))
	big, err := d.Alloc(60 << 20)
	fmt.Println(gpumem.Bytes(big.Len()), err, c.Stats().Entries)
	fmt.Println(big.Close(), c.Close(), d.Close())
	// Output:
	// 1 2 32.00 MiB
	// 60.00 MiB <nil> 0
	// <nil> <nil> <nil>
}
