// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"sync"
	"unsafe"
)

// condition is what has become of an instance.
type condition uint8

const (
	live condition = iota
	released
	moved     // something else has it and releases it
	collected // by Go's garbage collector
	forgotten // nobody can say any more
)

// An instance is one allocation: one time that a handle was acquired.
type instance struct {
	id     int64
	seq    uint64 // its place in the order of acquisitions
	bits   uint64
	hold   unsafe.Pointer // keeps a Go handle from being collected, and its address from being used again
	next   *instance      // of the same bits, older
	site   *site
	test   *test  // who is charged; nil: nobody
	count  *count // where; nil if nobody is
	freed  *stack
	freer  *Func
	refs   int32 // how often the same handle was acquired, and not yet released
	busy   int32 // calls that release it and are not over
	state  condition
	raw    bool // hold is no handle of Go's, most likely
	unsure bool // no certain leak and no certain misuse any more
	inner  bool // acquired by the library for itself; no caller has it
	told   bool // a Test record called it live
}

// A site is one stack with one function that acquires.
type site struct {
	number int
	fn     *Func
	class  int
	stack  *stack
	next   *site // of the same stack
}

// state is what calls change; mu guards all of it.
type state struct {
	mu      sync.Mutex
	lastID  int64
	events  int64 // acquisitions, releases and moves so far
	known   map[uint64]*instance
	aliases map[uint64]uint64 // handle → the handle of the same resource
	sites   int               // how many there are
	graves  [2]graveyard      // released instances that are still recognised: Go handles, others
	stacks  stacks
	tests   tests
	nobody  test // for calls that no test makes
	out     writer
}

// A graveyard remembers released instances, the last so many of them: to see
// that they are used or released again. Those with a Go handle are few,
// because each keeps its object.
type graveyard struct {
	ring []*instance
	next int
}

const (
	gravesGo    = 64
	gravesOther = 4096
)

func (l *ledger) bury(inst *instance) {
	if l.class(inst.site.class).Reused {
		l.forget(inst)
		return // what is seen under this number from now on may be another
	}
	if inst.raw {
		inst.hold = nil
	}
	g, size := &l.graves[1], gravesOther
	if inst.hold != nil {
		g, size = &l.graves[0], gravesGo
	}
	if len(g.ring) < size {
		g.ring = append(g.ring, inst)
		return
	}
	l.forget(g.ring[g.next])
	g.ring[g.next] = inst
	g.next = (g.next + 1) % size
}

// forget takes an instance out of the index, if it is there.
func (l *ledger) forget(inst *instance) {
	inst.hold = nil
	first := l.known[inst.bits]
	if first == inst {
		if inst.next == nil {
			delete(l.known, inst.bits)
		} else {
			l.known[inst.bits] = inst.next
		}
		return
	}
	for p := first; p != nil; p = p.next {
		if p.next == inst {
			p.next = inst.next
			return
		}
	}
}

// find is the instance of a handle that an operation of a class is about: a
// live one if there is one, or else the last that was released.
func (l *ledger) find(bits uint64, class int) *instance {
	var gone *instance
	for inst := l.known[bits]; inst != nil; inst = inst.next {
		if !l.releases(class, inst.site.class) {
			continue // another resource that happens to have the same number
		}
		if inst.state == live {
			return inst
		}
		if gone == nil {
			gone = inst
		}
	}
	return gone
}

// add makes an instance for a handle that has just been acquired.
func (l *ledger) add(h handle, class int, at *site) *instance {
	l.lastID++
	inst := &instance{id: l.lastID, bits: h.bits, site: at, refs: 1, raw: h.raw}
	inst.seq = l.acquired.Add(1)
	if l.known == nil {
		l.known = map[uint64]*instance{}
	}
	inst.next = l.known[h.bits]
	l.known[h.bits] = inst
	if h.ptr != nil {
		switch backstop := l.class(class).Backstop; {
		case !backstop:
			inst.hold = h.ptr
		case !h.raw:
			l.watch(inst, h.ptr)
		}
	}
	return inst
}

// siteOf is the site of an acquisition. A stack has one, or a few where a
// function acquires several things at once.
func (l *ledger) siteOf(fn *Func, class int, at *stack) *site {
	for s := at.sites; s != nil; s = s.next {
		if s.fn == fn && s.class == class {
			return s
		}
	}
	l.sites++
	at.sites = &site{number: l.sites, fn: fn, class: class, stack: at, next: at.sites}
	return at.sites
}

// end gives an instance its end, and settles the account of its test.
func (l *ledger) end(inst *instance, how condition) {
	if inst.state != live {
		return
	}
	inst.state = how
	if inst.inner {
		return // nobody was charged
	}
	l.settle(inst, how)
	if inst.told {
		inst.told = false
		l.out.write(Record{Kind: KindLate, Test: inst.test.nameOrNone(), ID: inst.id, Class: l.className(inst.site.class)})
	}
}

// revive takes an end back: the call that ended it has failed.
func (l *ledger) revive(inst *instance, how condition) {
	if inst.state != how {
		return // something else has happened to it since
	}
	inst.state = live
	if !inst.inner {
		l.unsettle(inst, how)
	}
}
