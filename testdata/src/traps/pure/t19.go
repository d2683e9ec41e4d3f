// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"context"

	"bugs/lib/genai"
)

type t19Batch struct{ images *genai.Images }

func (b *t19Batch) Destroy() { b.images.Destroy() }

func t19NewBatch(paths []string) (*t19Batch, error) {
	images, err := genai.LoadImages(paths)
	if err != nil {
		return nil, err
	}
	return &t19Batch{images}, nil
}

// The goroutine that streams owns the batch from here on.
func t19Stream(ctx context.Context, paths []string) (<-chan string, error) {
	b, err := t19NewBatch(paths)
	if err != nil {
		return nil, err
	}
	out := make(chan string)
	go func() {
		defer close(out)
		defer b.Destroy()
		for i := 0; i < b.images.Len(); i++ {
			select {
			case out <- "token":
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}
