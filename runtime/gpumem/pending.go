// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// pendingEvents is how PolicyPyTorch frees a block that other streams have
// used: one event for each stream, and the block is free when a later
// allocation finds them all done. Queues are by stream, because events of a
// stream are done in order.
type pendingEvents struct {
	mu     sync.Mutex
	queues map[StreamHandle][]pendingEvent
	order  []StreamHandle // of the queues, by handle
}

type pendingEvent struct {
	event *event
	block *block
}

// add records the streams that used b. b is pending.
func (p *pendingEvents) add(d *Device, b *block) error {
	streams := b.uses
	if b.user != b.heap.stream { // lent in an emergency; see lastResort
		streams = append(streams, b.user)
	}
	streams = d.running(streams)
	events := make([]pendingEvent, 0, len(streams))
	for _, s := range streams {
		e, err := d.events.record(s)
		if err != nil {
			for _, done := range events {
				d.events.put(done.event)
			}
			return fmt.Errorf("close buffer of %v: %w", Bytes(b.req), errors.Join(err, d.quiesce(b, streams)))
		}
		events = append(events, pendingEvent{e, b})
	}
	if len(events) == 0 {
		return d.quiesce(b, nil)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b.pending = int32(len(events))
	if p.queues == nil {
		p.queues = map[StreamHandle][]pendingEvent{}
	}
	for _, e := range events {
		s := e.event.stream
		if _, ok := p.queues[s]; !ok {
			i, _ := slices.BinarySearch(p.order, s)
			p.order = slices.Insert(p.order, i, s)
		}
		p.queues[s] = append(p.queues[s], e)
		d.attention.Add(1)
	}
	return nil
}

// poll frees the blocks whose events are done.
func (p *pendingEvents) poll(d *Device) error {
	return p.process(d, func(e *event) (bool, error) { return d.drv.Query(e.handle) })
}

// syncAll waits for all events and frees their blocks.
func (p *pendingEvents) syncAll(d *Device) error {
	return p.process(d, func(e *event) (bool, error) { return true, d.drv.SyncEvent(e.handle) })
}

// process takes events off the queues' heads while done says so.
func (p *pendingEvents) process(d *Device, done func(*event) (bool, error)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var failed error
	for _, s := range slices.Clone(p.order) {
		q := p.queues[s]
		for len(q) > 0 {
			ok, err := done(q[0].event)
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("pending free on stream %d: %w", s, err))
			}
			if err != nil || !ok {
				break
			}
			d.events.put(q[0].event)
			d.attention.Add(-1)
			b := q[0].block
			if b.pending--; b.pending == 0 {
				b.heap.mu.Lock()
				b.heap.put(b)
				b.heap.mu.Unlock()
			}
			q[0] = pendingEvent{}
			q = q[1:]
		}
		if len(q) > 0 {
			p.queues[s] = q
			continue
		}
		delete(p.queues, s)
		p.order = slices.DeleteFunc(p.order, func(o StreamHandle) bool { return o == s })
	}
	return failed
}

// attend does what accumulated since the last allocation.
func (d *Device) attend() error {
	d.drainLost()
	if d.policy == PolicyPyTorch {
		return d.pend.poll(d)
	}
	return nil
}
