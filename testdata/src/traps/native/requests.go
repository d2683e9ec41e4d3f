// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}/../../bugs/native
// #include "native.h"
import "C"

import "unsafe"

// A request to delete something is made, and destroyed in the end: the word in
// the constructor's name is about what the broker does.
func deleteGroups(b *C.broker_t, groups []string) error {
	list := make([]*C.broker_DeleteGroup_t, len(groups))
	for i, group := range groups {
		name := C.CString(group)
		defer C.free(unsafe.Pointer(name))
		list[i] = C.broker_DeleteGroup_new(name)
		if list[i] == nil {
			return errFailed
		}
		defer C.broker_DeleteGroup_destroy(list[i])
	}
	if C.broker_DeleteGroups(b, &list[0], C.int(len(list))) != 0 {
		return errFailed
	}
	return nil
}

func deleteGroup(b *C.broker_t, group string) error {
	name := C.CString(group)
	defer C.free(unsafe.Pointer(name))
	req := C.broker_DeleteGroup_new(name)
	if req == nil {
		return errFailed
	}
	defer C.broker_DeleteGroup_destroy(req)
	if C.broker_DeleteGroups(b, &req, 1) != 0 {
		return errFailed
	}
	return nil
}

// A determinant terminates nothing.
func regular(b *C.broker_t) bool {
	defer C.broker_destroy(b)
	return C.linalg_determinant(b) != 0
}
