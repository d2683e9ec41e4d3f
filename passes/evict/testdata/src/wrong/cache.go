// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"container/list"
	"example.com/dev"
	"sync"
)

type cache struct {
	m      map[string]*dev.Buf
	list   []*dev.Buf
	ring   [4]*dev.Buf
	at     int
	users  sync.Map
	recent *list.List
	queue  chan *dev.Buf
	items  map[string]item
}

type item struct {
	buf  *dev.Buf
	uses int
}

func (c *cache) get(key string) (*dev.Buf, error) {
	if b, ok := c.m[key]; ok {
		return b, nil
	}
	b, err := dev.New(len(key))
	if err != nil {
		return nil, err
	}
	c.m[key] = b
	return b, nil
}

func (c *cache) add(key string, n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	c.list = append(c.list, b)
	if b, err = dev.New(n); err != nil {
		return err
	}
	c.users.Store(key, b)
	if b, err = dev.New(n); err != nil {
		return err
	}
	c.recent.PushFront(b)
	if b, err = dev.New(n); err != nil {
		return err
	}
	c.queue <- b
	return nil
}

func (c *cache) addItem(key string, n int) error {
	if _, ok := c.items[key]; ok {
		return nil
	}
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	c.items[key] = item{buf: b}
	return nil
}

func (c *cache) Close() {
	for _, b := range c.m {
		b.Free()
	}
	for _, b := range c.list {
		b.Free()
	}
	for _, b := range c.ring {
		if b != nil {
			b.Free()
		}
	}
}
