// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

type u01Detector struct {
	env     *C.OrtEnv
	session *C.OrtSession
	name    *C.char
}

func (d *u01Detector) Destroy() {
	if d.session != nil {
		C.ReleaseSession(d.session)
	}
	if d.env != nil {
		C.ReleaseEnv(d.env)
	}
	if d.name != nil {
		C.free(unsafe.Pointer(d.name))
	}
}

// Each later failure drops a detector whose fields already own.
func u01NewBug(path string) (*u01Detector, error) {
	d := &u01Detector{name: C.CString(path)}
	if C.CreateEnv(d.name, &d.env) != 0 {
		return nil, errFailed // want GM101
	}
	if C.CreateSession(d.env, d.name, &d.session) != 0 {
		return nil, errFailed
	}
	return d, nil
}

func u01NewFixed(path string) (d *u01Detector, err error) {
	d = &u01Detector{name: C.CString(path)}
	defer func() {
		if err != nil {
			d.Destroy()
			d = nil
		}
	}()
	if C.CreateEnv(d.name, &d.env) != 0 {
		return d, errFailed
	}
	if C.CreateSession(d.env, d.name, &d.session) != 0 {
		return d, errFailed
	}
	return d, nil
}
