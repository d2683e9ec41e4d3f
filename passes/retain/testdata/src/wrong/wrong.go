// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"container/list"
	"sync"

	"example.com/dev"
)

var seen []*dev.Buf

// What it is handed in goes into a package variable.
func remember(b *dev.Buf) {
	seen = append(seen, b) // want `^device buffer is kept in seen, from which nothing ever takes it: bound it, or have what it drops freed \(GM201\)$`
}

var byID = map[string]*dev.Buf{}

func open(id string, n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	byID[id] = b // want `device buffer from dev.New \(line 23\) is kept in byID, from which nothing ever takes it`
	return nil
}

var queue = make(chan *dev.Buf, 1024)

func enqueue(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	queue <- b // want `is kept in queue`
	return nil
}

type server struct {
	mu    sync.Mutex
	inner struct {
		kept []*dev.Buf
	}
	recent *list.List
	users  sync.Map
}

func (s *server) add(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inner.kept = append(s.inner.kept, b) // want `is kept in s.inner.kept`
	return nil
}

func (s *server) push(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	s.recent.PushFront(b) // want `is kept in s.recent`
	return nil
}

func (s *server) login(user string, n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	s.users.Store(user, b) // want `is kept in s.users`
	return nil
}

type entry struct {
	buf *dev.Buf
	n   int
}

var entries = map[string]*entry{}

// The handle is in a struct that the map holds.
func note(id string, n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	entries[id] = &entry{buf: b, n: n} // want `is kept in entries`
	return nil
}

type node struct {
	buf  *dev.Buf
	next *node
}

var head *node

// A list without a container.
func chain(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	head = &node{buf: b, next: head} // want `is kept in head`
	return nil
}

// A captured variable lives as long as the func that is returned.
func counter() func(n int) error {
	var kept []*dev.Buf
	return func(n int) error {
		b, err := dev.New(n)
		if err != nil {
			return err
		}
		kept = append(kept, b) // want `is kept in kept`
		return nil
	}
}

type cache[V any] struct {
	m map[string]V
}

func (c *cache[V]) put(key string, v V) { c.m[key] = v }

func (c *cache[V]) get(key string) V { return c.m[key] }

var generic = &cache[*dev.Buf]{m: map[string]*dev.Buf{}}

// The type does not know what it holds; its user does.
func session(id string, n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	generic.put(id, b) // want `is kept in generic`
	return nil
}

var live = map[*dev.Buf]struct{}{}

// A set of handles.
func track(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	live[b] = struct{}{} // want `is kept in live`
	return nil
}
