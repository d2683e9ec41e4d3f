// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}/../../bugs/native
// #include "native.h"
import "C"

import "unsafe"

type t23Output struct {
	opts *C.AVDictionary
	name *C.char
}

func t23Free(outs []t23Output) {
	for i := range outs {
		C.free(unsafe.Pointer(outs[i].name))
		if outs[i].opts != nil {
			C.av_dict_free(&outs[i].opts)
		}
	}
}

// The clean-up function is never nil, so the caller defers it before the check.
func t23Params(names []string) ([]t23Output, func(), error) {
	outs := make([]t23Output, len(names))
	finalizer := func() { t23Free(outs) }
	for i, n := range names {
		outs[i].name = C.CString(n)
		if C.av_dict_parse(&outs[i].opts, outs[i].name) != 0 {
			return outs, finalizer, errFailed
		}
	}
	return outs, finalizer, nil
}

func t23Transcode(names []string) error {
	outs, finalizer, err := t23Params(names)
	defer finalizer()
	if err != nil {
		return err
	}
	for _, o := range outs {
		if C.load_state(nil, o.name, nil) != 0 {
			return errFailed
		}
	}
	return nil
}
