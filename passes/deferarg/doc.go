// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package deferarg reports GM106: check for deferred releases whose argument is evaluated too early.
//
// The arguments of a deferred call are evaluated by the defer statement. If the
// variable is filled only afterwards, nil is released and the resource is lost.
//
//	var p unsafe.Pointer
//	defer C.cudaFree(p) // deferred call has already evaluated its argument, still nil here: ... (GM106)
//	if C.cudaMalloc(&p, n) != 0 {
//		return errNoMemory
//	}
//
// It is reported at the defer. Put the defer after the acquisition, or defer a
// func literal, which reads the variable when it runs.
//
// # Not reported
//
// Deferred func literals, and methods called through a pointer to the handle.
package deferarg
