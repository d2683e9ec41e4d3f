// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/gst"

// The new pipeline is dropped when it does not start.
func b125RestartBug(desc string) (*gst.Pipeline, error) {
	next, err := gst.NewPipelineFromString(desc)
	if err != nil {
		return nil, err
	}
	if err := next.SetState(1); err != nil {
		return nil, err // want GM101
	}
	return next, nil
}

func b125RestartFixed(desc string) (*gst.Pipeline, error) {
	next, err := gst.NewPipelineFromString(desc)
	if err != nil {
		return nil, err
	}
	if err := next.SetState(1); err != nil {
		next.Unref()
		return nil, err
	}
	return next, nil
}
