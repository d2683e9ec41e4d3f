// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package usefreed reports GM301: check for handles that are used after they were released.
//
// Behind the release of a handle, or behind a call that has taken it over for
// good, the same handle is used, read through, or returned.
//
//	img.Close()
//	n := img.Rows() // Mat in img is used by Mat.Rows after it was closed (line 1): ... (GM301)
//
// # Not reported
//
// Questions about the handle itself (Closed, Empty, String). A handle that was
// set to nil, or given a new resource, on the way. What a pool or container has
// taken over and keeps alive. Elements of a container that cannot be told apart.
// Tests whose name says that they misuse a handle on purpose.
package usefreed
