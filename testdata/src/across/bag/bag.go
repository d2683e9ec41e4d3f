// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package bag holds containers of anything. It knows no GPU library, as most
// packages of containers do.
package bag

import (
	"container/list"
	"iter"
	"sync"
	"time"
)

// Map keeps until it is told to delete.
type Map[K comparable, V any] struct {
	mu sync.RWMutex
	m  map[K]V
}

func NewMap[K comparable, V any]() *Map[K, V] { return &Map[K, V]{m: make(map[K]V)} }

func (c *Map[K, V]) Put(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = v
}

func (c *Map[K, V]) Get(k K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.m[k]
	return v, ok
}

func (c *Map[K, V]) Delete(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, k)
}

// Take hands the element over.
func (c *Map[K, V]) Take(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.m[k]
	delete(c.m, k)
	return v, ok
}

func (c *Map[K, V]) Each(f func(K, V)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for k, v := range c.m {
		f(k, v)
	}
}

func (c *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, v := range c.m {
			if !yield(k, v) {
				return
			}
		}
	}
}

func (c *Map[K, V]) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.m)
}

func (c *Map[K, V]) Len() int { return len(c.m) }

// List only grows; its container is in a struct inside it.
type List[V any] struct {
	state struct {
		all []V
	}
}

func (l *List[V]) Add(v V) { l.state.all = append(l.state.all, v) }

func (l *List[V]) Len() int { return len(l.state.all) }

// Sharded spreads its elements.
type Sharded[V any] struct{ shards [16]*shard[V] }

type shard[V any] struct {
	mu sync.Mutex
	m  map[string]V
}

func NewSharded[V any]() *Sharded[V] {
	s := &Sharded[V]{}
	for i := range s.shards {
		s.shards[i] = &shard[V]{m: map[string]V{}}
	}
	return s
}

func (s *Sharded[V]) shard(key string) *shard[V] { return s.shards[len(key)%len(s.shards)] }

func (s *Sharded[V]) Set(key string, v V) {
	sh := s.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.m[key] = v
}

func (s *Sharded[V]) Remove(key string) {
	sh := s.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	delete(sh.m, key)
}

// LRU drops the oldest when it is full, and calls onEvict with it if there is
// such a func.
type LRU[K comparable, V any] struct {
	size    int
	ll      *list.List
	items   map[K]*list.Element
	onEvict func(K, V)
}

type entry[K comparable, V any] struct {
	key K
	val V
}

func NewLRU[K comparable, V any](size int) *LRU[K, V] { return NewLRUWithEvict[K, V](size, nil) }

func NewLRUWithEvict[K comparable, V any](size int, onEvict func(K, V)) *LRU[K, V] {
	return &LRU[K, V]{size: size, ll: list.New(), items: map[K]*list.Element{}, onEvict: onEvict}
}

func (c *LRU[K, V]) OnEvict(f func(K, V)) { c.onEvict = f }

func (c *LRU[K, V]) Add(k K, v V) {
	if e, ok := c.items[k]; ok {
		c.ll.MoveToFront(e)
		e.Value.(*entry[K, V]).val = v
		return
	}
	c.items[k] = c.ll.PushFront(&entry[K, V]{k, v})
	if c.ll.Len() > c.size {
		c.removeOldest()
	}
}

func (c *LRU[K, V]) Get(k K) (v V, ok bool) {
	if e, ok := c.items[k]; ok {
		c.ll.MoveToFront(e)
		return e.Value.(*entry[K, V]).val, true
	}
	return v, false
}

func (c *LRU[K, V]) Remove(k K) {
	if e, ok := c.items[k]; ok {
		c.remove(e)
	}
}

func (c *LRU[K, V]) removeOldest() {
	if e := c.ll.Back(); e != nil {
		c.remove(e)
	}
}

func (c *LRU[K, V]) remove(e *list.Element) {
	c.ll.Remove(e)
	kv := e.Value.(*entry[K, V])
	delete(c.items, kv.key)
	if c.onEvict != nil {
		c.onEvict(kv.key, kv.val)
	}
}

// Expiring has a goroutine that throws out what is old.
type Expiring[V any] struct {
	mu sync.Mutex
	m  map[string]V
	at map[string]time.Time
}

func NewExpiring[V any](age time.Duration) *Expiring[V] {
	e := &Expiring[V]{m: map[string]V{}, at: map[string]time.Time{}}
	go e.sweep(age)
	return e
}

func (e *Expiring[V]) Put(key string, v V) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.m[key], e.at[key] = v, time.Now()
}

func (e *Expiring[V]) sweep(age time.Duration) {
	for range time.Tick(age) {
		e.mu.Lock()
		for key, t := range e.at {
			if time.Since(t) > age {
				delete(e.m, key)
				delete(e.at, key)
			}
		}
		e.mu.Unlock()
	}
}

// Closers closes what it drops.
type Closers[V interface{ Close() error }] struct {
	max  int
	keys []string
	m    map[string]V
}

func NewClosers[V interface{ Close() error }](max int) *Closers[V] {
	return &Closers[V]{max: max, m: map[string]V{}}
}

func (c *Closers[V]) Put(key string, v V) {
	if len(c.keys) >= c.max {
		c.m[c.keys[0]].Close()
		delete(c.m, c.keys[0])
		c.keys = c.keys[1:]
	}
	c.keys = append(c.keys, key)
	c.m[key] = v
}

func (c *Closers[V]) Drop(key string) {
	if v, ok := c.m[key]; ok {
		v.Close()
		delete(c.m, key)
	}
}

// Batch collects, and hands all of it to a func.
type Batch[V any] struct{ items []V }

func (b *Batch[V]) Add(v V) { b.items = append(b.items, v) }

func (b *Batch[V]) Do(f func([]V)) {
	items := b.items
	b.items = nil
	f(items)
}

// Pages swaps two lists.
type Pages[V any] struct{ front, back []V }

func (p *Pages[V]) Add(v V) { p.front = append(p.front, v) }

func (p *Pages[V]) Flip(f func(V)) {
	p.front, p.back = p.back[:0], p.front
	for _, v := range p.back {
		f(v)
	}
}

// Queue is a list of nodes.
type Queue[V any] struct{ head, tail *node[V] }

type node[V any] struct {
	v    V
	next *node[V]
}

func (q *Queue[V]) Push(v V) {
	n := &node[V]{v: v}
	if q.tail == nil {
		q.head, q.tail = n, n
		return
	}
	q.tail.next = n
	q.tail = n
}

func (q *Queue[V]) Pop() (v V, ok bool) {
	if q.head == nil {
		return v, false
	}
	v = q.head.v
	q.head = q.head.next
	if q.head == nil {
		q.tail = nil
	}
	return v, true
}

// Worker closes what it was sent when it is done with it.
type Worker[V interface{ Close() error }] struct{ ch chan V }

func NewWorker[V interface{ Close() error }](size int) *Worker[V] {
	w := &Worker[V]{ch: make(chan V, size)}
	go w.run()
	return w
}

func (w *Worker[V]) Send(v V) { w.ch <- v }

func (w *Worker[V]) run() {
	for v := range w.ch {
		v.Close()
	}
}
