// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

type u15Context struct{ frees []unsafe.Pointer }

func (c *u15Context) Cleanup() {
	for _, p := range c.frees {
		C.free(p)
	}
	c.frees = nil
}

// The argument block of a launch is remembered nowhere.
func (c *u15Context) launchBug(args []int) {
	argv := C.malloc(C.size_t(8 * len(args))) // want GM102
	for i, a := range args {
		*(*int)(unsafe.Add(argv, 8*i)) = a
	}
}

func (c *u15Context) launchFixed(args []int) {
	argv := C.malloc(C.size_t(8 * len(args)))
	c.frees = append(c.frees, argv)
	for i, a := range args {
		*(*int)(unsafe.Add(argv, 8*i)) = a
	}
}
