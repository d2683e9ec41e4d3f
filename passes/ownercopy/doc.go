// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package ownercopy reports GM403: check for copied structs of which both the copy and the original are released.
//
// A handle that is a struct, or a struct with a raw handle in it, is copied by an
// assignment, by a range clause, by passing it on. Each copy refers to the same
// native object, and does not notice that another one has released it.
//
//	other := img
//	other.Close()
//	img.Close() // other and img are copies of one Mat and both are closed: it is freed twice, clone it or hand it over (GM403)
//
// It is reported at the second release.
//
// # Not reported
//
// Copies of which only one is released: handing a handle over by value is how
// these libraries work. Originals that get another value in between. Structs whose
// fields point at objects that may be released twice.
package ownercopy
