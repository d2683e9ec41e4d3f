// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package autobatch finds the batch size that fits into GPU memory, by trying.
//
// [Find] doubles the size until it no longer fits and bisects; [Shrink] runs
// real work and makes it smaller each time that it does not fit; [Split] cuts a
// batch into parts of the size that was found, so that the effective batch stays
// what it was. Each try has a scope of its own, and everything in it is closed
// before the next try begins: what the failed one holds would make the next one
// fail too.
//
// A size also counts as too large if it fits only by emptying the cache again
// and again: such work runs, and slowly.
package autobatch
