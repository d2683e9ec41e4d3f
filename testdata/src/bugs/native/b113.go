// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

type b113EngineBug struct{ e unsafe.Pointer }

// Several calls of a wrapper, each with strings that nobody keeps.
func b113NewBug(uri, device string) (*b113EngineBug, error) {
	e := C.load_model(C.CString(uri), C.CString(device)) // want GM103
	if e == nil {
		return nil, errFailed
	}
	return &b113EngineBug{e}, nil
}

func (t *b113EngineBug) install(name string) bool {
	return C.set_variable(t.e, C.CString("transport"), C.CString(name)) == 0 // want GM103
}

type b113EngineFixed struct{ e unsafe.Pointer }

func b113NewFixed(uri, device string) (*b113EngineFixed, error) {
	u, d := C.CString(uri), C.CString(device)
	defer C.free(unsafe.Pointer(u))
	defer C.free(unsafe.Pointer(d))
	e := C.load_model(u, d)
	if e == nil {
		return nil, errFailed
	}
	return &b113EngineFixed{e}, nil
}

func (t *b113EngineFixed) install(name string) bool {
	k, v := C.CString("transport"), C.CString(name)
	defer C.free(unsafe.Pointer(k))
	defer C.free(unsafe.Pointer(v))
	return C.set_variable(t.e, k, v) == 0
}
