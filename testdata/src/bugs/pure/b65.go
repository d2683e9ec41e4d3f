// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/dcgm"

// One variable holds the clean-up function of four constructors in turn; only
// the last one is ever called.
func b65PipelineBug() (func(), error) {
	cleanup, err := dcgm.Watch(1)
	if err != nil {
		return nil, err
	}
	cleanup, err = dcgm.Watch(2) // want GM104
	if err != nil {
		return nil, err
	}
	return func() { cleanup() }, nil
}

func b65PipelineFixed() (func(), error) {
	var cleanups []func()
	all := func() {
		for _, c := range cleanups {
			c()
		}
	}
	cleanup, err := dcgm.Watch(1)
	if err != nil {
		return nil, err
	}
	cleanups = append(cleanups, cleanup)
	cleanup, err = dcgm.Watch(2)
	if err != nil {
		all()
		return nil, err
	}
	cleanups = append(cleanups, cleanup)
	return all, nil
}
