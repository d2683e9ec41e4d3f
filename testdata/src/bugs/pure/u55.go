// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/cuvs"

type u55TensorBug struct{ p uintptr }

// A resource is made in every Close and never closed itself.
func (t *u55TensorBug) Close() error {
	res, err := cuvs.NewResource() // want GM102
	if err != nil {
		return err
	}
	return cuvs.Dealloc(res, t.p)
}

type u55TensorFixed struct{ p uintptr }

func (t *u55TensorFixed) Close() error {
	res, err := cuvs.NewResource()
	if err != nil {
		return err
	}
	defer res.Close()
	return cuvs.Dealloc(res, t.p)
}
