// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import "sync"

// A Call is one call of a modelled function, from its entry to its exit.
type Call struct {
	l       *ledger
	f       *Func
	ins     []any // copies of what F and Out are given: its own list, so that theirs need not be made anew each time
	outs    []any
	before  uint64               // what was acquired before this call has a smaller number
	targets []target             // what the entry has to do with
	gives   bool                 // the entry gives something up: its place is wanted
	ended   []ending             // what was released or consumed at the entry
	made    []*instance          // what the exit has acquired, where the function says more about it
	there   map[int]map[int]bool // OpFill: effect → the elements that were there at the entry
}

// calls are those that are over: with their lists they are a good part of what
// an event would allocate.
var calls = sync.Pool{New: func() any { return new(Call) }}

func (l *ledger) call(f *Func, ins []any) *Call {
	c := calls.Get().(*Call)
	c.l, c.f, c.ins, c.before = l, f, append(c.ins, ins...), l.acquired.Load()
	return c
}

// done gives the call back. It holds on to nothing that the program has: what
// the collector frees is part of what is watched.
func (c *Call) done() {
	clear(c.ins)
	clear(c.outs)
	c.ins, c.outs, c.targets, c.ended = c.ins[:0], c.outs[:0], c.targets[:0], c.ended[:0]
	c.gives, c.made, c.there = false, nil, nil
	calls.Put(c)
}

// seen takes note that a handle was given out by the library: whatever was
// released under that number is not what it names now.
func (l *ledger) seen(bits uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for inst := l.known[bits]; inst != nil; inst = inst.next {
		if inst.state != live && inst.busy == 0 {
			l.forget(inst)
		}
	}
}

// alias makes the handles at a place stand for those at another.
func (c *Call) alias(e *Effect) {
	var of []uint64
	e.Of.handles(c.ins, c.outs, func(_ int, h handle) { of = append(of, h.bits) })
	i := 0
	e.Place.handles(c.ins, c.outs, func(_ int, h handle) {
		if i >= len(of) {
			return
		}
		c.l.mu.Lock()
		defer c.l.mu.Unlock()
		if h.bits != of[i] {
			if c.l.aliases == nil {
				c.l.aliases = map[uint64]uint64{}
			}
			c.l.aliases[h.bits] = c.l.same(of[i])
		}
		i++
	})
}

// processHandle stands for the one resource of a class that has no handle. It
// is odd and large, so that neither a pointer nor a small number equals it.
func processHandle(class string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(class); i++ {
		h = (h ^ uint64(class[i])) * 1099511628211
	}
	return h | 1<<63 | 1
}

// all does something to every live instance of a class.
func (l *ledger) all(class int, do func(*instance)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, inst := range l.known {
		for ; inst != nil; inst = inst.next {
			if inst.state == live && l.releases(class, inst.site.class) {
				do(inst)
			}
		}
	}
}

// same is the handle that another one stands for.
func (l *ledger) same(bits uint64) uint64 {
	if len(l.aliases) == 0 || l.known[bits] != nil {
		return bits
	}
	if of, ok := l.aliases[bits]; ok {
		return of
	}
	return bits
}
