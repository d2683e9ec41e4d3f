// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import "example.com/dev"

func (c *cache) drop(key string) {
	if b, ok := c.m[key]; ok {
		b.Free()
		delete(c.m, key)
	}
}

// Deleted first, freed afterwards.
func (c *cache) dropLate(key string) {
	b := c.m[key]
	delete(c.m, key)
	if b != nil {
		b.Free()
	}
}

// Whoever asks for it has it.
func (c *cache) take(key string) *dev.Buf {
	b := c.m[key]
	delete(c.m, key)
	return b
}

func (c *cache) clear() {
	for _, b := range c.m {
		b.Free()
	}
	clear(c.m)
}

func (c *cache) dropAll() {
	for key, b := range c.m {
		b.Free()
		delete(c.m, key)
	}
}

func (c *cache) remake() {
	c.free()
	c.m = make(map[string]*dev.Buf)
}

func (c *cache) free() {
	for _, b := range c.m {
		b.Free()
	}
}

func (c *cache) truncate() {
	for _, b := range c.list {
		b.Free()
	}
	c.list = c.list[:0]
}

func (c *cache) pop() {
	c.list[0].Free()
	c.list = c.list[1:]
}

func (c *cache) popLate() {
	old := c.list[0]
	c.list = c.list[1:]
	old.Free()
}

func (c *cache) dropFirstBad() {
	for i, b := range c.list {
		if b.Fill(0) != nil {
			b.Free()
			c.list = append(c.list[:i], c.list[i+1:]...)
			return
		}
	}
}

// The caller has the buffer: it is only taken off the list.
func (c *cache) unlist(b *dev.Buf) {
	for i, x := range c.list {
		if x == b {
			c.list = append(c.list[:i], c.list[i+1:]...)
			return
		}
	}
}

func (c *cache) keepGood() {
	good := c.list[:0]
	for _, b := range c.list {
		if b.Fill(0) == nil {
			good = append(good, b)
		} else {
			b.Free()
		}
	}
	c.list = good
}

func (c *cache) logout(user string) {
	if v, ok := c.users.LoadAndDelete(user); ok {
		v.(*dev.Buf).Free()
	}
}

func (c *cache) logoutAll() {
	c.users.Range(func(key, v any) bool {
		v.(*dev.Buf).Free()
		c.users.Delete(key)
		return true
	})
}

func (c *cache) oldest() {
	e := c.recent.Back()
	e.Value.(*dev.Buf).Free()
	c.recent.Remove(e)
}

func (c *cache) oldestLate() {
	c.recent.Remove(c.recent.Back()).(*dev.Buf).Free()
}

func (c *cache) drain() {
	select {
	case b := <-c.queue:
		b.Free()
	default:
	}
}

func (c *cache) dropItem(key string) {
	if it, ok := c.items[key]; ok {
		it.buf.Free()
	}
	delete(c.items, key)
}

func (c *cache) next(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	if old := c.ring[c.at]; old != nil {
		old.Free()
	}
	c.ring[c.at] = b
	c.at = (c.at + 1) % len(c.ring)
	return nil
}

func (c *cache) put(key string, b *dev.Buf) {
	if old, ok := c.m[key]; ok {
		old.Free()
	}
	c.m[key] = b
}

// A list of what is alive: those who opened them free them.
type registry struct{ live map[int]*dev.Buf }

func (r *registry) open(id, n int) (*dev.Buf, error) {
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	r.live[id] = b
	return b, nil
}

func (r *registry) closed(id int) { delete(r.live, id) }
