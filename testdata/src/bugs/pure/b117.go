// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "gocv.io/x/gocv"

// b117Cache keeps the frames that it hands out.
type b117Cache struct {
	frames map[int]gocv.Mat
	order  []int
}

func (c *b117Cache) Load(n int) (gocv.Mat, error) {
	if m, ok := c.frames[n]; ok {
		return m, nil
	}
	m := gocv.IMRead("frame", gocv.IMReadColor)
	if len(c.order) >= 8 {
		old := c.frames[c.order[0]]
		old.Close()
		delete(c.frames, c.order[0])
		c.order = c.order[1:]
	}
	c.frames[n] = m
	c.order = append(c.order, n)
	return m, nil
}

func (c *b117Cache) Close() {
	for _, m := range c.frames {
		m.Close()
	}
	c.frames = nil
}

// The render loop closes what the cache owns.
func b117RenderBug(c *b117Cache, w *gocv.Window, n int) error {
	for i := 0; i < n; i++ {
		m, err := c.Load(i)
		if err != nil {
			return err
		}
		w.IMShow(m)
		m.Close() // want GM302
	}
	return nil
}

func b117RenderFixed(c *b117Cache, w *gocv.Window, n int) error {
	for i := 0; i < n; i++ {
		m, err := c.Load(i)
		if err != nil {
			return err
		}
		w.IMShow(m)
	}
	return nil
}
