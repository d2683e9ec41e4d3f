// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

/*
#cgo CFLAGS: -I${SRCDIR}
#include "native.h"

int b149RunBug(void *data);
int b149RunFixed(void *data);
void b149Done(void *data);
*/
import "C"

import "unsafe"

// b149Register hands fn to the main loop, which calls b149Done when it has no
// use for it any more.
func b149RegisterBug(fn func() bool) {
	C.idle_add_full(C.GSourceFunc(C.b149RunBug), b149Save(fn), C.GDestroyNotify(C.b149Done))
}

func b149RegisterFixed(fn func() bool) {
	C.idle_add_full(C.GSourceFunc(C.b149RunFixed), b149Save(fn), C.GDestroyNotify(C.b149Done))
}

var b149Calls = map[unsafe.Pointer]func() bool{}

// b149Save gives a C pointer that stands for fn.
func b149Save(fn func() bool) unsafe.Pointer {
	p := C.malloc(1)
	b149Calls[p] = fn
	return p
}

//export b149Done
func b149Done(data unsafe.Pointer) {
	delete(b149Calls, data)
	C.free(data)
}

// The last call releases what the main loop releases once more.
//
//export b149RunBug
func b149RunBug(data unsafe.Pointer) C.int {
	if fn := b149Calls[data]; fn != nil && fn() {
		return 1
	}
	delete(b149Calls, data)
	C.free(data) // want GM302
	return 0
}

//export b149RunFixed
func b149RunFixed(data unsafe.Pointer) C.int {
	if fn := b149Calls[data]; fn != nil && fn() {
		return 1
	}
	return 0
}
