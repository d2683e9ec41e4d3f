// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package overwrite reports GM104: check for variables and fields assigned again while they still own.
//
// The only variable or field that refers to a resource gets a new value; the old
// one is lost, although the last one may be released with care.
//
//	buf, _ := dev.New(1)
//	buf, _ = dev.New(2) // device buffer from dev.New (line 1) is lost: buf is assigned again before it is freed (GM104)
//	buf.Free()
//
// It is reported at the assignment. Release the old value first, or keep it under
// a name of its own.
//
// # Not reported
//
// An old value that was released, handed over, is known to be nil, or that
// another variable still holds.
package overwrite
