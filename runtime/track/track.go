// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package track is the ledger that instrumented code writes to: which GPU
// resources a test acquired, where, and what became of them.
//
// `gpumemlint test` copies this package into the program that it tests and puts
// calls of F, Out, Test, Loop, Inject and Fail into its sources. Nobody calls
// them by hand. The package needs nothing but the standard library, since
// it must build inside any module, and does nothing unless EnvDir is set.
// What it has seen is written as JSON lines (Record), which Read reads back.
package track

import (
	"os"
	"runtime"
	"sync/atomic"
)

// std is the ledger of this process.
var std = open(os.Getenv(EnvDir), os.Getenv(EnvInject))

// Load gives the process's ledger its table. The generated file that stands
// beside this package's copy calls it while packages are initialised, before
// anything that is instrumented runs. It reports whether text could be read.
func Load(text string) bool { return std.load(text) == nil }

// F says that the modelled function n has been entered, with the receiver and
// arguments that its model speaks of. It returns the call, for Out.
func F(n int, ins ...any) *Call {
	if !std.on || n >= len(std.table.Funcs) {
		return nil // nobody asked for a ledger
	}
	c := std.call(&std.table.Funcs[n], ins)
	c.look()
	if len(c.targets) == 0 {
		return c // nothing to do, and no need to know where
	}
	// The walk begins here and not where its result is needed: each function in
	// between would cost as much as a frame of the user's.
	var buf [shortDepth]uintptr
	var pcs []uintptr
	if c.gives {
		pcs = buf[:runtime.Callers(c.f.skip, buf[:])]
	}
	c.enter(pcs)
	return c
}

// Out says that the call is over. Outs are pointers to its results.
func (c *Call) Out(outs ...any) {
	if c == nil {
		return // nobody asked for a ledger
	}
	c.outs = append(c.outs, outs...)
	ok := c.f.succeeded(c.ins, c.outs)
	var buf [depth]uintptr
	var pcs []uintptr
	if c.mayAcquire(ok) {
		pcs = buf[:runtime.Callers(c.f.skip, buf[:])] // here, for the reason that F has
	}
	c.leave(ok, pcs)
	c.done()
}

// ledger is all that is known in a process.
type ledger struct {
	on       bool
	table    Table
	inject   int // index of the point that fails, or -1
	injectID string
	nth      int // at which of its calls in a test it fails, from 1
	acquired atomic.Uint64
	lib      map[string]string // package → library

	state
}

func open(dir, inject string) *ledger {
	l := &ledger{on: dir != "", inject: -1}
	l.injectID, l.nth = splitInject(inject)
	l.state.out.dir = dir
	return l
}
