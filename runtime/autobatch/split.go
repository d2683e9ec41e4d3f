// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package autobatch

// Part is one part of a batch, for gradient accumulation.
type Part struct {
	Start, Size int // of the batch
	// Weight is the part's share of the batch. Scale the part's mean loss by it,
	// and the sum of the gradients is that of the whole batch. Dividing by the
	// number of parts is right only where all are equally large.
	Weight float64
}

// Split cuts a batch of total into the fewest parts of at most most, whose sizes
// differ by one at most: the effective batch stays what it was. It gives nil for
// an empty batch, and parts of one where most is less than that.
func Split(total, most int) []Part {
	if total <= 0 {
		return nil
	}
	most = max(most, 1)
	n := (total-1)/most + 1
	parts := make([]Part, n)
	at := 0
	for i := range parts {
		size := total / n
		if i < total%n {
			size++
		}
		parts[i] = Part{at, size, float64(size) / float64(total)}
		at += size
	}
	return parts
}
