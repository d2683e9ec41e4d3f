// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package throws

// static int *make(void) { return 0; }
import "C"

import (
	"runtime"
	"unsafe"

	"example.com/dev"
)

type op struct {
	n   int
	h   dev.Handle
	buf [4]byte
}

func (o *op) free()         { dev.Close(o.h) }
func freeOp(o *op)          { dev.Close(o.h) }
func freeHandle(dev.Handle) {}
func freeAny(x any)         {}

type first struct {
	h   dev.Handle
	cap int
}

func bound(o *op) {
	runtime.SetFinalizer(o, o.free) // want `runtime.SetFinalizer ends the program here: a method value takes no argument, and would keep the object alive \(GM402\)`
}

func none(o *op) {
	runtime.SetFinalizer(o, func() {}) // want `the finalizer does not take the object as its one argument`
}

func other(o *op) {
	runtime.SetFinalizer(o, freeHandle) // want `the finalizer takes a example.com/dev.Handle`
}

func field(o *op) {
	runtime.SetFinalizer(&o.h, func(*dev.Handle) {}) // want `it is a field and not the start of its object`
}

func firstField(f *first) {
	runtime.SetFinalizer(&f.h, func(*dev.Handle) {})
}

func value(o op) {
	runtime.SetFinalizer(o, func(op) {}) // want `it is no pointer`
}

func element(list []op) {
	runtime.SetFinalizer(&list[1], freeOp) // want `it is an element and not the start of its array`
}

func fromC() {
	p := C.make()
	runtime.SetFinalizer(p, func(*C.int) {}) // want `it is not in Go's memory`
}

func raw(p unsafe.Pointer) {
	runtime.SetFinalizer(p, func(unsafe.Pointer) {}) // want `it is no pointer`
}

func right(o *op) {
	runtime.SetFinalizer(o, freeOp)
	runtime.SetFinalizer(o, nil)
	runtime.SetFinalizer(o, freeAny)
	runtime.SetFinalizer(o, func(o *op) error { return nil })
}

func dynamic(x, f any) { runtime.SetFinalizer(x, f) }

func generic[T any](p *T, f func(*T)) { runtime.SetFinalizer(p, f) }
