// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/gpu"

// A free list for each buffer size: when the mesh is resized, those of the old
// size are never asked for again.
var b43PoolBug = map[int][]*gpu.Image{}

func b43BufferBug(n int) *gpu.Image {
	if pool := b43PoolBug[n]; len(pool) > 0 {
		img := pool[len(pool)-1]
		b43PoolBug[n] = pool[:len(pool)-1]
		return img
	}
	return gpu.NewImage(n, 1)
}

func b43RecycleBug(n int, img *gpu.Image) {
	b43PoolBug[n] = append(b43PoolBug[n], img) // want GM203
}

var b43PoolFixed = map[int][]*gpu.Image{}

func b43BufferFixed(n int) *gpu.Image {
	if pool := b43PoolFixed[n]; len(pool) > 0 {
		img := pool[len(pool)-1]
		b43PoolFixed[n] = pool[:len(pool)-1]
		return img
	}
	return gpu.NewImage(n, 1)
}

func b43RecycleFixed(n int, img *gpu.Image) {
	b43PoolFixed[n] = append(b43PoolFixed[n], img)
}

// On resize.
func b43FreeFixed() {
	for n, pool := range b43PoolFixed {
		for _, img := range pool {
			img.Dispose()
		}
		delete(b43PoolFixed, n)
	}
}
