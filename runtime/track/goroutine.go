// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"bytes"
	"context"
	"runtime"
	"runtime/pprof"
	"strconv"
	"unsafe"
)

// Which test a goroutine belongs to is said by its profiler labels: a goroutine
// inherits those of the one that started it, in code that nobody has
// rewritten too. Reading them is one load. The runtime keeps this name
// stable for packages that pull it (go.dev/issue/67401).
//
//go:linkname labelsOfGoroutine runtime/pprof.runtime_getProfLabel
func labelsOfGoroutine() unsafe.Pointer

// A mark is the labels of one test. Their address names the test, so the
// context that holds them is kept.
type mark struct {
	ctx  context.Context
	addr unsafe.Pointer
	id   uint64 // of the goroutine that the test runs in
}

// takeMark marks the current goroutine, and all that it starts from now on.
func takeMark(name string) mark {
	m := mark{ctx: pprof.WithLabels(context.Background(), pprof.Labels("test", name)), id: goroutineID()}
	m.set()
	m.addr = labelsOfGoroutine()
	return m
}

func (m *mark) set() { pprof.SetGoroutineLabels(m.ctx) }

// goroutineID is slow, since it walks the stack with names and lines, and used only where labels do not tell: the program
// under test has set its own.
func goroutineID() uint64 {
	var buf [64]byte
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(text, []byte(" "))
	id, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		return 0 // another format than that of today: no goroutine is known by it
	}
	return id
}
