// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}/../../bugs/native
// #include "native.h"
import "C"

// Called from C, which frees the message.
//
//export t27Put
func t27Put(key *C.char, errMsg **C.char) C.int {
	if key == nil {
		*errMsg = C.CString("no key")
		return -1
	}
	return 0
}
