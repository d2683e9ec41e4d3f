// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package nograd reports GM501: check for inference outside a scope without gradients.
//
// Outside such a scope every operation keeps its inputs for a backward pass. An
// evaluation of the whole test set then needs as much memory as a training step
// of that size, until everything is dropped.
//
//	logits := m.ForwardT(x, false) // m.ForwardT runs outside ts.NoGrad ... (GM501)
//	acc := logits.AccuracyForLogits(y)
//	return acc.Float64Values()[0]
//
// The opposite is reported too: a backward pass through what was computed inside
// such a scope, where no graph was recorded.
//
// # Not reported
//
// Calls whose result goes to a backward pass or an optimizer, or to where it
// cannot be followed: a result, a field, a callback. Forward calls whose train
// argument the caller decides. Functions that the package calls from scopes
// without gradients only. Packages that freeze the weights. Tests. The answer
// for one input, not in a loop and compared with nothing, is only possible.
package nograd
