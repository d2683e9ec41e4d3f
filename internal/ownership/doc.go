// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package ownership is the engine: it follows every owned resource of a
// package from its acquisition to each exit, back edge and overwrite, and
// says what became of it. Every pass asks it.
package ownership
