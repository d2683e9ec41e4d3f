// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package discard reports GM103: check for owned results that are dropped on the spot.
//
// A call returns something that must be released, and the code gives it no name:
// the result is ignored, assigned to the blank identifier, or used as an
// argument or receiver and then gone.
//
//	_, err := dev.New(n) // device buffer from dev.New is dropped: ... (GM103)
//
// # Not reported
//
// Results that libraries say need no release. Arguments of functions that take
// ownership. A test that expects the call to fail.
package discard
