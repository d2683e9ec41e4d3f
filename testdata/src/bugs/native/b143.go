// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// b143String makes a retained string.
func b143String(s string) C.nsstring {
	c := C.CString(s)
	defer C.free(unsafe.Pointer(c))
	return C.nsstring_new(c)
}

// A retained string as an inline argument.
func b143MenuBug() unsafe.Pointer {
	return C.menu_item(b143String("Quit"), 'q') // want GM103
}

func b143MenuFixed() unsafe.Pointer {
	title := b143String("Quit")
	defer C.nsstring_release(title)
	return C.menu_item(title, 'q')
}
