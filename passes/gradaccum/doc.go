// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gradaccum reports GM502: check for losses summed with their graphs, and for gradients that add up.
//
// A sum of loss tensors keeps the graph of every step that went into it, and
// memory grows with each step of an epoch. Take the number out and add that, or
// detach the tensor.
//
//	for _, x := range batches {
//		loss := m.ForwardT(x, true).CrossEntropyForLogits(y)
//		opt.BackwardStep(loss)
//		total = total.MustAdd(loss, true) // total keeps the graph of every loss ... (GM502)
//	}
//
// Two habits of the same loop are reported as well: steps without ever setting
// the gradients to zero, and gradients of n batches added up for one step where
// nothing divides the loss by n.
//
// # Not reported
//
// Sums that a backward pass goes through, here or perhaps in the caller. Losses
// that were detached, or computed in a scope without gradients. Loops in which a
// call that cannot be seen may set the gradients to zero. Tests.
package gradaccum
