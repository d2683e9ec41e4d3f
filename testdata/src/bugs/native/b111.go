// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import "unsafe"

// The dictionary moves to C only if the transcoder is really reached.
func b111TranscodeBug(settings string, codec int) error {
	s := C.CString(settings)
	defer C.free(unsafe.Pointer(s))
	var opts *C.AVDictionary
	if C.av_dict_parse(&opts, s) != 0 {
		return errFailed
	}
	if codec < 0 {
		return errFailed // want GM101
	}
	if C.lpms_transcode(opts, s) != 0 {
		return errFailed
	}
	return nil
}

func b111TranscodeFixed(settings string, codec int) error {
	s := C.CString(settings)
	defer C.free(unsafe.Pointer(s))
	var opts *C.AVDictionary
	if C.av_dict_parse(&opts, s) != 0 {
		return errFailed
	}
	if codec < 0 {
		C.av_dict_free(&opts)
		return errFailed
	}
	if C.lpms_transcode(opts, s) != 0 {
		return errFailed
	}
	return nil
}
