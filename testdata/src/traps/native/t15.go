// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}/../../bugs/native
// #include "native.h"
import "C"

import "unsafe"

type t15Detector struct {
	env   *C.OrtEnv
	names map[string]*C.char
}

// The strings live in a map of the struct, whose Destroy goes through it.
func t15New(inputs []string) (*t15Detector, error) {
	d := &t15Detector{names: map[string]*C.char{}}
	for _, in := range inputs {
		d.names[in] = C.CString(in)
	}
	if C.CreateEnv(d.names["env"], &d.env) != 0 {
		d.Destroy()
		return nil, errFailed
	}
	return d, nil
}

func (d *t15Detector) Destroy() {
	if d.env != nil {
		C.ReleaseEnv(d.env)
		d.env = nil
	}
	for _, p := range d.names {
		C.free(unsafe.Pointer(p))
	}
	d.names = nil
}
