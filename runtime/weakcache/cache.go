// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package weakcache

import (
	"container/list"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"weak"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Config says how a cache treats its values.
type Config[K comparable, V any] struct {
	// Budget is how many bytes the cache keeps alive; 0 keeps nothing, and
	// shares values among those who use them at the same time.
	Budget int64
	// Size gives the bytes of a value.
	Size func(V) int64
	// Close gives a value's memory back. It is called once for each value,
	// without locks.
	Close func(K, V) error
}

// Cache is a cache. Its methods may be called from any goroutine.
type Cache[K comparable, V any] struct {
	cfg Config[K, V]

	mu     sync.Mutex
	index  map[K]weak.Pointer[entry[K, V]]
	kept   *list.List // of *entry, the last used first; what keeps them alive
	calls  map[K]*call
	stats  Stats
	closed bool

	lost *lostQueue[K, V] // apart, since cleanups know it and must not know the cache
}

// entry is a value that the cache or a lease holds.
type entry[K comparable, V any] struct {
	payload *payload[K, V]
	leases  int
	place   *list.Element // in kept, nil where only leases hold it
}

// payload is what is left when an entry is unreachable. Its cleanup knows it,
// so it must not know the entry.
type payload[K comparable, V any] struct {
	key   K
	value V
	size  int64
	gone  bool // closed, or about to be; guarded by the cache's mu
}

// lostQueue has the payloads of entries whose leases were lost without Close.
// The next call on the cache closes them: nothing is closed on the collector's
// time.
type lostQueue[K comparable, V any] struct {
	mu   sync.Mutex
	list []*payload[K, V]
}

// Stats says what a cache holds and did. Sizes are bytes.
type Stats struct {
	Entries int   // kept
	Bytes   int64 // of those
	Beyond  int64 // of values that only leases keep alive

	Hits, Misses int64
	Evictions    int64 // values closed to keep the budget, or under pressure
	Lost         int64 // values whose leases were never closed, found by the garbage collector
}

// New makes a cache. Close it when done.
func New[K comparable, V any](cfg Config[K, V]) (*Cache[K, V], error) {
	if cfg.Size == nil || cfg.Close == nil || cfg.Budget < 0 {
		return nil, fmt.Errorf("weakcache: Size and Close must be given, and Budget not be negative: %w", gpumem.ErrInvalid)
	}
	return &Cache[K, V]{cfg: cfg, index: map[K]weak.Pointer[entry[K, V]]{}, kept: list.New(), calls: map[K]*call{}, lost: &lostQueue[K, V]{}}, nil
}

// Lease is the use of a value. Close it when the value is no longer used.
type Lease[K comparable, V any] struct {
	cache *Cache[K, V]
	mu    sync.Mutex
	entry *entry[K, V] // nil once closed
}

// Value is the value; the zero value of V once the lease is closed.
func (l *Lease[K, V]) Value() V {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entry == nil {
		var zero V
		return zero
	}
	return l.entry.payload.value
}

// Close ends the use. The error is that of closing values, if some are; a second
// Close gives one that matches gpumem.ErrClosed.
func (l *Lease[K, V]) Close() error {
	l.mu.Lock()
	e := l.entry
	l.entry = nil
	l.mu.Unlock()
	if e == nil {
		return fmt.Errorf("close lease: %w", gpumem.ErrClosed)
	}
	c := l.cache
	c.mu.Lock()
	e.leases--
	var out []*payload[K, V]
	switch {
	case e.leases > 0:
	case e.place != nil:
		c.kept.MoveToFront(e.place) // used until now
	case !c.closed && e.payload.size <= c.cfg.Budget && c.index[e.payload.key] == weak.Make(e):
		e.place = c.kept.PushFront(e) // nothing was used later
		c.stats.Bytes += e.payload.size
		c.stats.Beyond -= e.payload.size
		out = c.shrink(c.cfg.Budget)
	default:
		c.stats.Evictions++
		out = append(out, c.retire(e))
	}
	c.mu.Unlock()
	return errors.Join(c.close(out), c.drain())
}

// Get gives a lease on the value of k, if there is one.
func (c *Cache[K, V]) Get(k K) (*Lease[K, V], bool) {
	c.mu.Lock()
	e := c.find(k)
	if e == nil {
		c.stats.Misses++
		c.mu.Unlock()
		return nil, false
	}
	c.stats.Hits++
	l := c.lease(e)
	c.mu.Unlock()
	return l, true
}

// find gives the entry of k and makes it the last used one; mu is held.
func (c *Cache[K, V]) find(k K) *entry[K, V] {
	e := c.index[k].Value()
	if e != nil && e.place != nil {
		c.kept.MoveToFront(e.place)
	}
	return e
}

// lease hands e out; mu is held.
func (c *Cache[K, V]) lease(e *entry[K, V]) *Lease[K, V] {
	e.leases++
	return &Lease[K, V]{cache: c, entry: e}
}

// Put stores v under k and gives a lease on it. An older value of k is no
// longer found; it is closed with its last lease. The cache owns v from here
// on, also where it is closed already: then v is closed, and the error matches
// gpumem.ErrClosed.
func (c *Cache[K, V]) Put(k K, v V) (*Lease[K, V], error) {
	p := &payload[K, V]{key: k, value: v, size: c.cfg.Size(v)}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, errors.Join(fmt.Errorf("weakcache: %w", gpumem.ErrClosed), c.cfg.Close(k, v))
	}
	var out []*payload[K, V]
	if old := c.index[k].Value(); old != nil {
		out = append(out, c.drop(old)...)
	}
	e := &entry[K, V]{payload: p}
	lost := c.lost
	runtime.AddCleanup(e, func(p *payload[K, V]) { lost.add(p) }, p)
	c.index[k] = weak.Make(e)
	l := c.lease(e)
	if p.size > c.cfg.Budget {
		c.stats.Beyond += p.size // room for it would be made in vain
	} else {
		e.place = c.kept.PushFront(e)
		c.stats.Bytes += p.size
		out = append(out, c.shrink(c.cfg.Budget)...)
	}
	c.mu.Unlock()
	return l, errors.Join(c.close(out), c.drain())
}

// drop takes e out of what is kept, and out of the index; what is to be closed
// is returned. mu is held.
func (c *Cache[K, V]) drop(e *entry[K, V]) []*payload[K, V] {
	if c.index[e.payload.key] == weak.Make(e) {
		delete(c.index, e.payload.key)
	}
	c.unkeep(e)
	if e.leases > 0 {
		return nil
	}
	return []*payload[K, V]{c.retire(e)}
}

// unkeep leaves e to its leases; mu is held.
func (c *Cache[K, V]) unkeep(e *entry[K, V]) {
	if e.place == nil {
		return
	}
	c.kept.Remove(e.place)
	e.place = nil
	c.stats.Bytes -= e.payload.size
	c.stats.Beyond += e.payload.size
}

// retire takes an entry that nobody uses out of the books; it is to be closed.
// mu is held.
func (c *Cache[K, V]) retire(e *entry[K, V]) *payload[K, V] {
	if c.index[e.payload.key] == weak.Make(e) {
		delete(c.index, e.payload.key)
	}
	c.stats.Beyond -= e.payload.size
	e.payload.gone = true
	return e.payload
}

// shrink makes what is kept as small as most, the least recently used first.
// What is in use stays findable. mu is held.
func (c *Cache[K, V]) shrink(most int64) (out []*payload[K, V]) {
	for place := c.kept.Back(); place != nil && c.stats.Bytes > most; {
		e := place.Value.(*entry[K, V])
		place = place.Prev()
		c.unkeep(e)
		if e.leases == 0 {
			c.stats.Evictions++
			out = append(out, c.retire(e))
		}
	}
	return out
}

// Evict closes values that nobody uses, the least recently used first, until n
// bytes are free, and says how many are.
func (c *Cache[K, V]) Evict(n int64) (freed int64, err error) {
	c.mu.Lock()
	var out []*payload[K, V]
	for place := c.kept.Back(); place != nil && freed < n; {
		e := place.Value.(*entry[K, V])
		place = place.Prev()
		if e.leases > 0 {
			continue // giving it up would free nothing now
		}
		c.unkeep(e)
		c.stats.Evictions++
		freed += e.payload.size
		out = append(out, c.retire(e))
	}
	c.mu.Unlock()
	return freed, errors.Join(c.close(out), c.drain())
}

// Attach makes the cache give up what nobody uses where an allocation on d
// would fail, and the allocation try again. remove ends that.
func (c *Cache[K, V]) Attach(d *gpumem.Device) (remove func()) {
	return d.OnOOM(func(e *gpumem.OOMError) bool {
		freed, err := c.Evict(max(e.Requested, e.Rounded))
		return freed > 0 && err == nil
	})
}

// Stats says how things stand.
func (c *Cache[K, V]) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Entries = c.kept.Len()
	return s
}

// Close closes all values that nobody uses; those in use are closed with their
// last leases. Nothing is found any more.
func (c *Cache[K, V]) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return fmt.Errorf("close cache: %w", gpumem.ErrClosed)
	}
	c.closed = true
	var out []*payload[K, V]
	for place := c.kept.Front(); place != nil; place = c.kept.Front() {
		out = append(out, c.drop(place.Value.(*entry[K, V]))...)
	}
	clear(c.index)
	c.mu.Unlock()
	return errors.Join(c.close(out), c.drain())
}

// close closes values, without a lock.
func (c *Cache[K, V]) close(list []*payload[K, V]) error {
	var err error
	for _, p := range list {
		err = errors.Join(err, c.cfg.Close(p.key, p.value))
	}
	return err
}

// add is called on the collector's goroutine.
func (q *lostQueue[K, V]) add(p *payload[K, V]) {
	q.mu.Lock()
	q.list = append(q.list, p)
	q.mu.Unlock()
}

// drain closes what was lost.
func (c *Cache[K, V]) drain() error {
	c.lost.mu.Lock()
	found := c.lost.list
	c.lost.list = nil
	c.lost.mu.Unlock()
	if len(found) == 0 {
		return nil
	}
	c.mu.Lock()
	var out []*payload[K, V]
	for _, p := range found {
		if p.gone {
			continue // closed as it should be, and the entry collected later
		}
		p.gone = true
		c.stats.Lost++
		c.stats.Beyond -= p.size
		if c.index[p.key].Value() == nil {
			delete(c.index, p.key)
		}
		out = append(out, p)
	}
	c.mu.Unlock()
	return c.close(out)
}
