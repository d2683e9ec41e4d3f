// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

type cache struct{ m map[string]*dev.Buf }

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

func (c *cache) drop(key string) {
	delete(c.m, key) //nolint:GM202 // its stream frees it
}

func (c *cache) Close() {
	for _, b := range c.m {
		b.Free()
	}
}
