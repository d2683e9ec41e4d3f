// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"slices"

	"example.com/dev"
)

func (c *cache) drop(key string) {
	delete(c.m, key) // want `^device buffer is dropped from c.m by delete without being freed: call Free on it first \(GM202\)$`
}

func (c *cache) dropSome(keys []string, n int) {
	for _, key := range keys {
		if b, ok := c.m[key]; ok && n > 0 {
			b.Free()
		}
		delete(c.m, key) // want `GM202`
	}
}

func (c *cache) clear() {
	clear(c.m) // want `by clear without`
}

func (c *cache) dropAll() {
	for key := range c.m {
		delete(c.m, key) // want `GM202`
	}
}

func (c *cache) remake() {
	c.m = make(map[string]*dev.Buf) // want `by the assignment without`
}

func (c *cache) truncate() {
	c.list = c.list[:0] // want `by the cut to length 0`
}

func (c *cache) forget() {
	c.list = nil // want `by the assignment`
}

func (c *cache) pop() {
	c.list = c.list[1:] // want `by the cut`
}

func (c *cache) popLast() {
	c.list = c.list[:len(c.list)-1] // want `by the cut`
}

func (c *cache) cut(i int) {
	c.list = append(c.list[:i], c.list[i+1:]...) // want `by the cut`
}

func (c *cache) deleteAt(i int) {
	c.list = slices.Delete(c.list, i, i+1) // want `by the cut`
}

func (c *cache) dropFirstBad() {
	for i, b := range c.list {
		if b.Fill(0) != nil {
			c.list = append(c.list[:i], c.list[i+1:]...) // want `by the cut`
			return
		}
	}
}

func (c *cache) keepGood() {
	var good []*dev.Buf
	for _, b := range c.list {
		if b.Fill(0) == nil {
			good = append(good, b)
		}
	}
	c.list = good // want `by rebuilding the slice`
}

func (c *cache) logout(user string) {
	c.users.Delete(user) // want `from c.users by Map.Delete`
}

func (c *cache) logoutAll() {
	c.users.Range(func(key, v any) bool {
		c.users.Delete(key) // want `GM202`
		return true
	})
}

func (c *cache) oldest() {
	c.recent.Remove(c.recent.Back()) // want `from c.recent by List.Remove`
}

func (c *cache) drain() {
	select {
	case <-c.queue: // want `from c.queue by receive`
	default:
	}
}

func (c *cache) dropItem(key string) {
	delete(c.items, key) // want `from c.items`
}

// The slot may be taken.
func (c *cache) next(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	c.ring[c.at] = b // want `^device buffer in c.ring is replaced by another one without being freed: take the old one out first \(GM202\)$`
	c.at = (c.at + 1) % len(c.ring)
	return nil
}

// So may the key.
func (c *cache) put(key string, b *dev.Buf) {
	c.m[key] = b // want `in c.m is replaced by another one`
}
