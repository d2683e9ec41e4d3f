// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"context"

	"bugs/lib/gpu"
)

// The fan-in looks at the context between two messages, but not while it waits
// for a consumer that is gone.
func b107ListenBug(ctx context.Context, dbe, pcie <-chan *gpu.Image) <-chan *gpu.Image {
	out := make(chan *gpu.Image)
	go func() { // want GM204
		defer close(out)
		for {
			select {
			case v := <-dbe:
				out <- v
			case v := <-pcie:
				out <- v
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func b107ListenFixed(ctx context.Context, dbe, pcie <-chan *gpu.Image) <-chan *gpu.Image {
	out := make(chan *gpu.Image)
	send := func(v *gpu.Image) bool {
		select {
		case out <- v:
			return true
		case <-ctx.Done():
			v.Dispose()
			return false
		}
	}
	go func() {
		defer close(out)
		for {
			select {
			case v := <-dbe:
				if !send(v) {
					return
				}
			case v := <-pcie:
				if !send(v) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}
