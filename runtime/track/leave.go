// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

// mayAcquire reports whether what the call says of itself lets it acquire
// something: then it matters where.
func (c *Call) mayAcquire(ok bool) bool {
	for i := range c.f.Effects {
		e := &c.f.Effects[i]
		if (e.Op == OpAcquire || e.Op == OpFill) && e.happens(c, ok) {
			return true
		}
	}
	return false
}

// leave does what happens at the exit of a call, with the stack if anything may
// be acquired.
func (c *Call) leave(ok bool, pcs []uintptr) {
	l := c.l
	c.settle(ok)
	for i := range c.f.Effects {
		e := &c.f.Effects[i]
		switch e.Op {
		case OpAcquire, OpFill:
			if !e.happens(c, ok) {
				continue
			}
			if e.Place.Root < 0 {
				l.acquire(c, e, handle{bits: processHandle(l.className(e.Class))}, pcs)
				continue
			}
			e.Place.handles(c.ins, c.outs, func(k int, h handle) {
				if !c.there[i][k] {
					l.acquire(c, e, h, pcs)
				}
			})
		case OpSeen:
			e.Place.handles(c.ins, c.outs, func(_ int, h handle) { l.seen(h.bits) })
		case OpAlias:
			c.alias(e)
		}
	}
	if !c.f.follows {
		return // what it has acquired is on its own
	}
	for i := range c.f.Effects {
		switch e := &c.f.Effects[i]; e.Op {
		case OpCleanup:
			if ok {
				c.cleanup(e)
			}
		case OpCancel:
			c.cancel(e)
		}
	}
}

// happens reports whether the condition of an acquisition holds.
func (e *Effect) happens(c *Call, ok bool) bool {
	switch e.When {
	case WhenAlways:
		return true
	case WhenFailure:
		return !ok
	case WhenTrue, WhenFalse:
		is, known := yes(e.Arg, c.ins, c.outs)
		return ok && known && is == (e.When == WhenTrue)
	}
	return ok
}

// acquire enters what a call has acquired.
func (l *ledger) acquire(c *Call, e *Effect, h handle, pcs []uintptr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	inst := l.enter(c, e, h, l.stacks.intern(pcs))
	if c.f.follows {
		c.made = append(c.made, inst)
	}
}

func (l *ledger) enter(c *Call, e *Effect, h handle, at *stack) *instance {
	inner := l.inside(c.f, at)
	who := l.tests.current()
	refs := int32(1)
	counter := e.Place.Root < 0 // of the process, without a handle
	if old := l.find(h.bits, -1); old != nil && (old.site.class == e.Class || l.releases(e.Class, old.site.class)) {
		switch {
		case old.state == live && old.seq > c.before:
			// A function that this one has called has told of it already, with a
			// stack that says more.
			if old.inner && !inner {
				old.inner = false
				l.charge(who, old)
			}
			return old
		case old.state == live && counter:
			old.refs++
			return old
		case old.state == live && e.When == WhenMaybe:
			return old // it has come back as it was
		case old.state == live && l.class(old.site.class).Backstop:
			l.end(old, collected) // else its address could not be here again
			l.forget(old)
		case old.state == live:
			// Either the library counts references, or the old one was freed in a
			// way that no model knows: neither is certain any more.
			refs = old.refs + 1
			l.end(old, forgotten)
			l.forget(old)
		default:
			l.forget(old)
		}
	}
	inst := l.add(h, e.Class, l.siteOf(c.f, e.Class, at))
	inst.refs, inst.inner = refs, inner
	inst.unsure = refs > 1 || e.When == WhenMaybe
	if !inner {
		l.charge(who, inst)
	}
	return inst
}
