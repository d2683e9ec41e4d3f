// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/gst"

// A callback per frame takes a sample and its buffer and gives neither back.
func b127OnFrameBug(sink *gst.AppSink, emit func([]byte)) bool {
	sample := sink.PullSample() // want GM102
	if sample == nil {
		return false
	}
	buf := sample.GetBuffer()
	if buf == nil {
		return false
	}
	emit(append([]byte(nil), buf.Bytes()...))
	return true
}

func b127OnFrameFixed(sink *gst.AppSink, emit func([]byte)) bool {
	sample := sink.PullSample()
	if sample == nil {
		return false
	}
	defer sample.Unref()
	buf := sample.GetBuffer()
	if buf == nil {
		return false
	}
	defer buf.Unref()
	emit(append([]byte(nil), buf.Bytes()...))
	return true
}
