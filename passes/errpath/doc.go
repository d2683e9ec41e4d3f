// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package errpath reports GM101: check for resources that are lost when a later step fails.
//
// A function acquires a resource, a later step fails, and the function returns
// the error without giving back what it holds. The ordinary path is right, so
// tests and reviews miss it.
//
//	a, err := dev.New(n)
//	if err != nil {
//		return err
//	}
//	b, err := dev.New(n)
//	if err != nil {
//		return err // device buffer from dev.New (line 1) is not freed when this returns: dev.New failed (GM101)
//	}
//
// It is reported at the return. Release before each such return, or defer a
// function that releases when the named error is not nil.
//
// # Not reported
//
// The return after the failed acquisition itself, where there is nothing to
// release. Paths that end in panic, log.Fatal or os.Exit, unless the function itself
// makes an error of a panic. Values that were
// returned, stored in a struct whose type releases them, or passed on to a
// function that takes them over.
package errpath
