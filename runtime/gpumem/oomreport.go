// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

func (d *Device) oomReport(r *request) *OOMError {
	return &OOMError{Requested: r.n}
}

func (e *OOMError) Error() string { return "out of memory" }
