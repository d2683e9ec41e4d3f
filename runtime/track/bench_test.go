// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package track

import (
	"bytes"
	"context"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// mixed calls f below a stack like that of real code: each of its frames is
// another function, some of them are inlined, and few lie in one package.
func mixed(f func()) {
	strings.Map(func(r rune) rune {
		sort.Search(1, func(int) bool {
			new(sync.Once).Do(func() {
				bytes.IndexFunc([]byte("x"), func(rune) bool {
					strings.FieldsFunc("x", func(rune) bool {
						bytes.Map(func(r rune) rune {
							strings.IndexFunc("x", func(rune) bool {
								f()
								return true
							})
							return r
						}, []byte("x"))
						return false
					})
					return true
				})
			})
			return true
		})
		return r
	}, "x")
}

// cpu is the time in nanoseconds that the process has spent on processors. It says more
// than the clock where others are at work.
func cpu(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// BenchmarkEvent is two events, an acquisition and a release, with 16 frames
// below them.
func BenchmarkEvent(b *testing.B) {
	for _, stack := range []struct {
		name string
		of   func(func())
	}{
		{"recursion", func(f func()) { deep(16, f) }},
		{"mixed", mixed},
		{"labels", func(f func()) { // the program has its own
			pprof.Do(context.Background(), pprof.Labels("k", "v"), func(context.Context) { deep(16, f) })
		}},
	} {
		b.Run(stack.name, func(b *testing.B) {
			fresh(b, "")
			runTest("TestX", func(*fakeTest) {
				stack.of(func() {
					b.ReportAllocs()
					before := cpu(b)
					for b.Loop() {
						x, _ := newBuf(false)
						x.Close()
					}
					b.ReportMetric(float64(cpu(b)-before)/float64(2*b.N), "cpu-ns/event")
				})
			})
		})
	}
}
