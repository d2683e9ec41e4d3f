// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package weakcache

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// call is a load under way.
type call struct {
	done chan struct{}
	err  error
}

// GetOrLoad gives a lease on the value of k, which load makes where there is
// none. Goroutines that want the same value at the same time share one load.
// Where it fails all of them get the error; where it was given up because the
// context of the one that began it ended, the next begins anew.
func (c *Cache[K, V]) GetOrLoad(ctx context.Context, k K, load func(ctx context.Context) (V, error)) (*Lease[K, V], error) {
	for {
		c.mu.Lock()
		if c.closed {
			c.mu.Unlock()
			return nil, fmt.Errorf("weakcache: %w", gpumem.ErrClosed)
		}
		if e := c.find(k); e != nil {
			c.stats.Hits++
			l := c.lease(e)
			c.mu.Unlock()
			return l, nil
		}
		under := c.calls[k]
		if under == nil {
			under = &call{done: make(chan struct{}), err: errPanicked}
			c.calls[k] = under
			c.stats.Misses++
			c.mu.Unlock()
			return c.load(ctx, k, under, load)
		}
		c.mu.Unlock()
		select {
		case <-under.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if err := under.err; err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// errPanicked is what others get where load did not return.
var errPanicked = errors.New("weakcache: the load that was shared panicked")

func (c *Cache[K, V]) load(ctx context.Context, k K, under *call, load func(ctx context.Context) (V, error)) (*Lease[K, V], error) {
	defer func() {
		c.mu.Lock()
		delete(c.calls, k)
		c.mu.Unlock()
		close(under.done)
	}()
	v, err := load(ctx)
	if err != nil {
		under.err = err
		return nil, err
	}
	l, err := c.Put(k, v)
	under.err = nil
	if l == nil {
		under.err = err
	}
	return l, err
}
