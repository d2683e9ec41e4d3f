// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"context"
	"fmt"
	"math/rand"
	"runtime/pprof"
	"sync"
	"testing"
)

// TestManyAtOnce has tests run side by side, with goroutines that acquire, leak,
// hand over and release at random below stacks of any depth: each test is charged with
// what it leaked, and nothing is taken for a misuse.
func TestManyAtOnce(t *testing.T) {
	read := fresh(t, "")
	const tests, goroutines, n = 6, 8, 200
	want := [tests]int{}
	var tw sync.WaitGroup
	for k := range tests {
		tw.Add(1)
		go func() {
			defer tw.Done()
			runTest(fmt.Sprintf("Test%d", k), func(*fakeTest) {
				var wg sync.WaitGroup
				var mu sync.Mutex
				for g := range goroutines {
					wg.Add(1)
					go func() {
						defer wg.Done()
						r := rand.New(rand.NewSource(int64(k*100 + g)))
						leaks := 0
						for range n {
							deep(r.Intn(20), func() {
								b, _ := newBuf(r.Intn(5) == 0)
								switch r.Intn(4) {
								case 0:
									if b != nil {
										leaks++
									}
								case 1:
									if take(b, false) != nil {
										t.Error("the one that takes it over has failed")
									}
								default:
									if b != nil {
										b.Use()
										b.Close()
									}
								}
							})
						}
						mu.Lock()
						want[k] += leaks
						mu.Unlock()
					}()
				}
				wg.Wait()
				if k%2 == 0 {
					pprof.Do(context.Background(), pprof.Labels("a", fmt.Sprint(k)), func(context.Context) { newBuf(false) })
					newBuf(false)
					mu.Lock()
					want[k] += 2
					mu.Unlock()
				}
			})
		}()
	}
	tw.Wait()
	for _, rec := range read() {
		if rec.Kind != KindTest {
			t.Errorf("got %+v, want records of tests only", rec)
			continue
		}
		var k int
		if _, err := fmt.Sscanf(rec.Test, "Test%d", &k); err != nil {
			t.Fatal(err)
		}
		if len(rec.Live) != want[k] {
			t.Errorf("%s: %d live, want %d", rec.Test, len(rec.Live), want[k])
		}
	}
}
