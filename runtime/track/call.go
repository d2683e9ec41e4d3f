// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

// An ending is an instance that a call has released or taken over, or will
// have when it turns out that a condition holds.
type ending struct {
	inst *instance
	how  condition
	when When
	arg  int
}

// A target is a resource that is there, or was, at a place of an entry effect.
type target struct {
	e    *Effect
	bits uint64
}

// enter does what happens at the entry of a call. Releases do: once the library
// has freed the memory, another goroutine may be given the same address.
func (c *Call) enter() {
	l := c.l
	var few [4]target
	targets := few[:0]
	for i := range c.f.Effects {
		e := &c.f.Effects[i]
		switch e.Op {
		case OpUse, OpRelease, OpConsume, OpUnsure:
			if e.Op == OpUnsure && e.Place.Root < 0 {
				l.all(e.Class, func(inst *instance) { inst.unsure = true })
				continue
			}
			targets = c.targets(e, targets)
		case OpFill:
			c.noteThere(i, e)
		case OpSweep:
			l.all(e.Class, func(inst *instance) { l.end(inst, forgotten) })
		}
	}
	l.mu.Lock()
	known := false
	for _, t := range targets {
		if inst := l.find(l.same(t.bits), t.e.Class); inst != nil && (t.e.Op != OpUse || inst.state == released) {
			known = true
		}
	}
	l.mu.Unlock()
	if !known {
		return // nothing to do, and no need to know where
	}
	var buf [releaseDepth]uintptr
	pcs := c.f.here(2, buf[:])
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range targets {
		inst := l.find(l.same(t.bits), t.e.Class)
		if inst == nil {
			continue
		}
		switch t.e.Op {
		case OpUse:
			l.use(c, inst, pcs)
		case OpUnsure:
			inst.unsure = true
		default:
			l.giveUp(c, t.e, inst, pcs)
		}
	}
}

// targets appends what stands at the place of an effect whose condition may
// hold.
func (c *Call) targets(e *Effect, list []target) []target {
	l := c.l
	var each func(i int) bool
	switch e.When {
	case WhenTrue, WhenFalse:
		if e.Arg >= c.f.Ins {
			break // a result: decided when the call is over
		}
		if is, ok := yes(e.Arg, c.ins, nil); !ok || is != (e.When == WhenTrue) {
			return list
		}
	case WhenEach:
		bools, ok := Place{Root: e.Arg}.value(c.ins, nil)
		if !ok {
			return list
		}
		each = func(i int) bool { return i >= 0 && i < bools.Len() && bools.Index(i).Bool() }
	}
	if e.Place.Root < 0 {
		return append(list, target{e, processHandle(l.className(e.Class))})
	}
	e.Place.handles(c.ins, nil, func(i int, h handle) {
		if each != nil && !each(i) {
			return
		}
		list = append(list, target{e, h.bits})
	})
	return list
}

// all does something to every live instance of a class.
func (l *ledger) all(class int, do func(*instance)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, inst := range l.known {
		for ; inst != nil; inst = inst.next {
			if inst.state == live && l.releases(class, inst.class) {
				do(inst)
			}
		}
	}
}

// same is the handle that another one stands for.
func (l *ledger) same(bits uint64) uint64 {
	if l.known[bits] == nil {
		if of, ok := l.aliases[bits]; ok {
			return of
		}
	}
	return bits
}

// use checks that a resource that a call is given is still there.
func (l *ledger) use(c *Call, inst *instance, pcs []uintptr) {
	if inst.state != released {
		return // there, or moved to where it may be used
	}
	if inst.busy > 0 || inst.unsure || inst.refs > 0 {
		return // its release calls this itself, or the handle may have been given out again
	}
	l.misuse(UseAfterRelease, c, inst, pcs)
}

// misuse tells of it at once: the call may end the process.
func (l *ledger) misuse(what string, c *Call, inst *instance, pcs []uintptr) {
	at := l.stacks.intern(pcs)
	if l.inside(c.f, at) {
		return // the library's own affair
	}
	l.out.write(Record{
		Kind: KindMisuse, Test: l.tests.current().nameOrNone(), Misuse: what, ID: inst.id,
		Class: l.className(inst.class), Call: c.f.Name,
		Stack:   l.frames(at, c.f),
		Acquire: l.frames(inst.site.stack, inst.site.fn),
		Release: l.frames(inst.freed, inst.freer),
	})
}

// giveUp does what a release or a consumption does.
func (l *ledger) giveUp(c *Call, e *Effect, inst *instance, pcs []uintptr) {
	end := ending{inst: inst, how: released, when: e.When, arg: e.Arg}
	if e.Op == OpConsume {
		end.how = moved
	}
	for _, other := range c.ended {
		if other.inst == inst {
			return // the same resource at two places of the call
		}
	}
	if inst.state == released {
		switch {
		case inst.busy > 0, inst.unsure, e.Advisory: // inside its own release, or not certain
		case e.AgainOK, l.class(inst.class).AgainOK: // harmless
		case inst.refs > 0: // the handle was given out more than once
			inst.refs--
		case e.Op == OpRelease:
			l.misuse(DoubleRelease, c, inst, pcs)
		}
		return
	}
	if inst.state != live {
		return // whoever it was moved to may release it
	}
	if end.later(c.f) {
		inst.busy++
		c.ended = append(c.ended, end)
		return // decided when the call is over
	}
	inst.refs--
	if inst.refs > 0 && l.class(inst.class).Process && inst.bits == processHandle(l.className(inst.class)) {
		return // a counter: others have it open
	}
	inst.busy++
	c.ended = append(c.ended, end)
	l.close(c, inst, end.how, pcs)
}

// close ends an instance and remembers where.
func (l *ledger) close(c *Call, inst *instance, how condition, pcs []uintptr) {
	inst.freed, inst.freer = l.stacks.intern(pcs), c.f
	l.end(inst, how)
	l.bury(inst)
}

// noteThere remembers which elements of a slice are there, so that the others
// are known to be filled.
func (c *Call) noteThere(i int, e *Effect) {
	if c.there == nil {
		c.there = map[int]map[int]bool{}
	}
	there := map[int]bool{}
	e.Place.handles(c.ins, nil, func(k int, _ handle) { there[k] = true })
	c.there[i] = there
}

// leave does what happens at the exit of a call.
func (c *Call) leave(outs []any) {
	l := c.l
	ok := c.f.succeeded(c.ins, outs)
	var buf [depth]uintptr
	c.settle(ok, outs, buf[:releaseDepth])
	var pcs []uintptr
	var made []*instance
	for i := range c.f.Effects {
		e := &c.f.Effects[i]
		switch e.Op {
		case OpAcquire, OpFill:
			if !e.happens(c, outs, ok) {
				continue
			}
			if pcs == nil {
				pcs = c.f.here(2, buf[:])
			}
			if e.Place.Root < 0 {
				made = append(made, l.acquire(c, e, handle{bits: processHandle(l.className(e.Class))}, pcs))
				continue
			}
			e.Place.handles(c.ins, outs, func(k int, h handle) {
				if !c.there[i][k] {
					made = append(made, l.acquire(c, e, h, pcs))
				}
			})
		case OpSeen:
			e.Place.handles(c.ins, outs, func(_ int, h handle) { l.seen(h.bits) })
		case OpAlias:
			c.alias(e, outs)
		}
	}
	for i := range c.f.Effects {
		switch e := &c.f.Effects[i]; e.Op {
		case OpCleanup:
			if ok {
				c.cleanup(e, outs, made)
			}
		case OpCancel:
			c.cancel(e, made)
		}
	}
}

// settle ends the releases that the entry has begun.
func (c *Call) settle(ok bool, outs []any, buf []uintptr) {
	if len(c.ended) == 0 {
		return
	}
	var pcs []uintptr
	for _, e := range c.ended {
		if e.later(c.f) {
			pcs = c.f.here(3, buf)
			break
		}
	}
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	for _, e := range c.ended {
		e.inst.busy--
		switch {
		case e.when == WhenOnSuccess && !ok:
			c.l.revive(e.inst, e.how)
			e.inst.refs++
		case !e.later(c.f):
			// done at the entry
		case e.when == WhenFailure:
			if !ok {
				c.l.close(c, e.inst, e.how, pcs)
			}
		default:
			if is, known := yes(e.arg, c.ins, outs); known && is == (e.when == WhenTrue) {
				c.l.close(c, e.inst, e.how, pcs)
			}
		}
	}
}

// later reports whether only the results of the call decide on an ending.
func (e *ending) later(f *Func) bool {
	return e.when == WhenFailure || (e.when == WhenTrue || e.when == WhenFalse) && e.arg >= f.Ins
}

// happens reports whether the condition of an acquisition holds.
func (e *Effect) happens(c *Call, outs []any, ok bool) bool {
	switch e.When {
	case WhenAlways:
		return true
	case WhenFailure:
		return !ok
	case WhenTrue, WhenFalse:
		is, known := yes(e.Arg, c.ins, outs)
		return ok && known && is == (e.When == WhenTrue)
	}
	return ok
}

// acquire enters what a call has acquired.
func (l *ledger) acquire(c *Call, e *Effect, h handle, pcs []uintptr) *instance {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.stacks.intern(pcs)
	inner := l.inside(c.f, at)
	who := l.tests.current()
	refs := 1
	counter := e.Place.Root < 0 // of the process, without a handle
	if old := l.find(h.bits, -1); old != nil && (old.class == e.Class || l.releases(e.Class, old.class)) {
		switch {
		case old.state == live && old.seq > c.before:
			// A function that this one has called has told of it already, with a
			// stack that says more.
			if old.inner && !inner {
				old.inner = false
				old.test = who
				l.charge(who, old.site)
			}
			return old
		case old.state == live && counter:
			old.refs++
			return old
		case old.state == live && e.When == WhenMaybe:
			return old // it has come back as it was
		case old.state == live && l.class(old.class).Backstop:
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
	inst := l.add(h, e.Class, l.siteOf(c.f, e.Class, at), who)
	inst.refs, inst.inner = refs, inner
	inst.unsure = refs > 1 || e.When == WhenMaybe
	if !inner {
		l.charge(who, inst.site)
	}
	return inst
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
func (c *Call) alias(e *Effect, outs []any) {
	var of []uint64
	e.Of.handles(c.ins, outs, func(_ int, h handle) { of = append(of, h.bits) })
	i := 0
	e.Place.handles(c.ins, outs, func(_ int, h handle) {
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
