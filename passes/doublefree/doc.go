// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package doublefree reports GM302: check for handles that are released twice, or by somebody who does not own them.
//
// On one path a handle is released a second time: by hand and by a deferred
// call, in the next iteration, after a call that consumed it, or through the
// copy of a struct-valued handle. Or a handle is released that a library only
// lent.
//
//	buf.Free()
//	buf.Free() // device buffer in buf is freed twice, ... (GM302)
//
// # Not reported
//
// Handles whose second release the library documents as harmless or as an
// error. A retry after a release that failed. Releases on paths that exclude
// each other. Calls of functions that check before they release.
package doublefree
