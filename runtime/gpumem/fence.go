// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"errors"
	"sync"
	"sync/atomic"
)

// event is a driver event that several fences may share.
type event struct {
	handle EventHandle
	stream StreamHandle // that it was recorded on
	seq    uint64       // later events of a stream cover earlier ones
	refs   atomic.Int32
}

// fence is the work that must be done before memory is used again, on any
// stream but those that did the work. It is immutable but for its count.
type fence struct {
	refs   atomic.Int32
	events []*event // one for each stream
	pool   *eventPool
}

// share counts one more block that needs f.
func (f *fence) share() *fence {
	f.refs.Add(1)
	return f
}

// drop counts one block less and recycles the events of the last one.
func (f *fence) drop() {
	if f.refs.Add(-1) > 0 {
		return
	}
	for _, e := range f.events {
		f.pool.put(e)
	}
}

// join gives a fence for both f and g, and takes both over.
func (f *fence) join(g *fence) *fence {
	if f == nil || f == g {
		if f == g {
			g.drop()
		}
		return g
	}
	j := &fence{pool: f.pool, events: make([]*event, 0, len(f.events)+len(g.events))}
	j.refs.Store(1)
	j.add(f.events)
	j.add(g.events)
	for _, e := range j.events {
		e.refs.Add(1)
	}
	f.drop()
	g.drop()
	return j
}

// add merges events, keeping the latest of each stream.
func (f *fence) add(events []*event) {
next:
	for _, e := range events {
		for i, have := range f.events {
			if have.stream == e.stream {
				if have.seq < e.seq {
					f.events[i] = e
				}
				continue next
			}
		}
		f.events = append(f.events, e)
	}
}

// eventPool keeps driver events for reuse: making one costs much more than
// recording it.
type eventPool struct {
	drv Driver

	mu   sync.Mutex
	idle []EventHandle
	seq  uint64
}

// record gives an event that marks the work of s up to now.
func (p *eventPool) record(s StreamHandle) (*event, error) {
	h, err := p.get()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.seq++
	e := &event{handle: h, stream: s, seq: p.seq}
	p.mu.Unlock()
	e.refs.Store(1)
	if err := p.drv.Record(h, s); err != nil {
		p.put(e)
		return nil, err
	}
	return e, nil
}

func (p *eventPool) get() (EventHandle, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		h := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return h, nil
	}
	p.mu.Unlock()
	return p.drv.NewEvent()
}

// put counts one user of e less and keeps the handle of the last one.
func (p *eventPool) put(e *event) {
	if e.refs.Add(-1) > 0 {
		return
	}
	p.mu.Lock()
	p.idle = append(p.idle, e.handle)
	p.mu.Unlock()
}

// fenceFor records what the streams were given so far; nil for no streams.
func (p *eventPool) fenceFor(streams []StreamHandle) (*fence, error) {
	if len(streams) == 0 {
		return nil, nil
	}
	f := &fence{pool: p}
	f.refs.Store(1)
	for _, s := range streams {
		e, err := p.record(s)
		if err != nil {
			f.drop()
			return nil, err
		}
		f.events = append(f.events, e)
	}
	return f, nil
}

// await makes s wait for f's work and takes f over. Work on s itself needs no
// wait. It says how many waits the driver was given.
func (p *eventPool) await(s StreamHandle, f *fence) (waits int64, err error) {
	if f == nil {
		return 0, nil
	}
	for _, e := range f.events {
		if e.stream == s {
			continue
		}
		if err := p.drv.Wait(s, e.handle); err != nil {
			return waits, err
		}
		waits++
	}
	f.drop()
	return waits, nil
}

// sync blocks until f's work is done, and takes f over if it succeeds.
func (p *eventPool) sync(f *fence) error {
	if f == nil {
		return nil
	}
	var err error
	for _, e := range f.events {
		err = errors.Join(err, p.drv.SyncEvent(e.handle))
	}
	if err == nil {
		f.drop()
	}
	return err
}

// close destroys the idle events.
func (p *eventPool) close() error {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	var err error
	for _, h := range idle {
		err = errors.Join(err, p.drv.DestroyEvent(h))
	}
	return err
}
