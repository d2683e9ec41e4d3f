// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import ort "github.com/yalue/onnxruntime_go"

// The options are destroyed only where the session failed: the author thought
// that they had moved into it.
func i11OpenBug(path string) (*ort.DynamicAdvancedSession, error) {
	opts, err := ort.NewSessionOptions() // want GM102
	if err != nil {
		return nil, err
	}
	s, err := ort.NewDynamicAdvancedSession(path, nil, nil, opts)
	if err != nil {
		opts.Destroy()
		return nil, err
	}
	return s, nil
}

func i11OpenFixed(path string) (*ort.DynamicAdvancedSession, error) {
	opts, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer opts.Destroy()
	return ort.NewDynamicAdvancedSession(path, nil, nil, opts)
}
