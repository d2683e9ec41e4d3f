// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/gpu"

type b131Backend struct {
	image *gpu.Image
	pages int
}

type b131Image struct {
	backend *b131Backend
	atlas   bool
}

var b131BackendsBug []*b131Backend

func b131AddBug(img *b131Image) {
	img.backend = &b131Backend{image: gpu.NewImage(64, 64)}
	b131BackendsBug = append(b131BackendsBug, img.backend)
}

// The early return skips the removal: backends of unmanaged images stay in the
// list.
func b131DeallocateBug(img *b131Image) {
	if !img.atlas {
		img.backend.image.Dispose()
		img.backend.image = nil
		return // want GM201
	}
	if img.backend.pages > 0 {
		return
	}
	img.backend.image.Dispose()
	img.backend.image = nil
	for i, b := range b131BackendsBug {
		if b == img.backend {
			b131BackendsBug = append(b131BackendsBug[:i], b131BackendsBug[i+1:]...)
			return
		}
	}
}

var b131BackendsFixed []*b131Backend

func b131AddFixed(img *b131Image) {
	img.backend = &b131Backend{image: gpu.NewImage(64, 64)}
	b131BackendsFixed = append(b131BackendsFixed, img.backend)
}

func b131DeallocateFixed(img *b131Image) {
	if img.atlas && img.backend.pages > 0 {
		return
	}
	img.backend.image.Dispose()
	img.backend.image = nil
	for i, b := range b131BackendsFixed {
		if b == img.backend {
			b131BackendsFixed = append(b131BackendsFixed[:i], b131BackendsFixed[i+1:]...)
			return
		}
	}
}
