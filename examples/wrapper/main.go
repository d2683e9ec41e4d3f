// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command wrapper leaks blocks of package device, which says with directives
// what acquires and what releases one. Nothing in this file is annotated: that
// newLayer returns an owner and that Close releases what it owns is inferred.
package main

import (
	"fmt"

	"github.com/gpumemlint/gpumemlint/examples/wrapper/device"
)

type layer struct {
	weights, bias device.Block
}

// newLayer loses the weights when there is no room for the bias.
func newLayer(size int) (*layer, error) {
	weights, err := device.Alloc(size)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	bias, err := device.Alloc(size / 16)
	if err != nil {
		return nil, fmt.Errorf("bias: %w", err)
	}
	return &layer{weights, bias}, nil
}

// Close frees both blocks.
func (l *layer) Close() {
	l.weights.Free()
	l.bias.Free()
}

// infer closes its layer only if the input fits.
func infer(input, size int) error {
	l, err := newLayer(size)
	if err != nil {
		return err
	}
	if input > size {
		return fmt.Errorf("input of %d bytes does not fit into %d", input, size)
	}
	l.Close()
	return nil
}

// probe asks whether size bytes are free, and takes them.
func probe(size int) bool {
	_, err := device.Alloc(size)
	return err == nil
}

func main() {
	for i := 0; probe(1 << 16); i++ {
		if err := infer(1<<i, 1<<12); err != nil {
			fmt.Println("request failed:", err)
		}
	}
	fmt.Println("bytes still in use:", device.InUse())
}
