// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/gst"

// What the library has parsed has a finalizer already.
func b151DescribeBug(m *gst.Message) string {
	tags := m.ParseTags()
	if tags == nil {
		return ""
	}
	defer tags.Unref() // want GM402
	return tags.String()
}

func b151DescribeFixed(m *gst.Message) string {
	tags := m.ParseTags()
	if tags == nil {
		return ""
	}
	return tags.String()
}
