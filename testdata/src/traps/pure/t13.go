// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"container/list"

	"gocv.io/x/gocv"
)

// t13LRU keeps a bounded number of values and tells who is thrown out.
type t13LRU struct {
	size    int
	order   *list.List
	entries map[int]*list.Element
	onEvict func(key int, value gocv.Mat)
}

type t13Entry struct {
	key   int
	value gocv.Mat
}

func t13NewLRU(size int, onEvict func(int, gocv.Mat)) *t13LRU {
	return &t13LRU{size: size, order: list.New(), entries: map[int]*list.Element{}, onEvict: onEvict}
}

func (c *t13LRU) Add(key int, value gocv.Mat) {
	c.entries[key] = c.order.PushFront(t13Entry{key, value})
	if c.order.Len() <= c.size {
		return
	}
	last := c.order.Back()
	c.order.Remove(last)
	e := last.Value.(t13Entry)
	delete(c.entries, e.key)
	c.onEvict(e.key, e.value)
}

type t13FrameCache struct {
	video *gocv.VideoCapture
	lru   *t13LRU
}

// The cache's callback closes what it throws out.
func t13NewFrameCache(video *gocv.VideoCapture) *t13FrameCache {
	lru := t13NewLRU(32, func(_ int, m gocv.Mat) { m.Close() })
	return &t13FrameCache{video: video, lru: lru}
}

func (c *t13FrameCache) Load(frame int) {
	mat := gocv.NewMat()
	if !c.video.Read(&mat) {
		mat.Close()
		return
	}
	c.lru.Add(frame, mat)
}
