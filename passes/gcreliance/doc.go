// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gcreliance reports GM404: check for device memory that is left to the garbage collector, or not even to that.
//
// Some libraries free a forgotten object by a finalizer. The collector sees a few
// bytes of Go memory and has no reason to run while the device is full. Since the
// libraries allow it, that is only "possible". A wrapper that is built by hand,
// without the finalizer that its siblings get, is not freed at all.
//
//	buf, err := client.BufferFromHost() // device buffer from Client.BufferFromHost is left to the garbage collector, which sees only a few bytes of it: call Destroy on it (GM404)
//
// It is reported at the call that acquires.
//
// # Not reported
//
// Types that have no explicit release. Wrappers with a release method, which are
// the caller's to close.
package gcreliance
