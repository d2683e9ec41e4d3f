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

// A target is what stands at the place of an entry effect.
type target struct {
	e    *Effect
	bits uint64
	inst *instance // what it was when the call was looked at
}

// look finds what the call's entry is about. Most calls only use what is there,
// and end here.
func (c *Call) look() {
	l := c.l
	for i := range c.f.Effects {
		e := &c.f.Effects[i]
		switch e.Op {
		case OpUse, OpRelease, OpConsume, OpUnsure:
			if e.Op == OpUnsure && e.Place.Root < 0 {
				l.all(e.Class, func(inst *instance) { inst.unsure = true })
				continue
			}
			c.target(e)
		case OpFill:
			c.noteThere(i, e)
		case OpSweep:
			l.all(e.Class, func(inst *instance) { l.end(inst, forgotten) })
		}
	}
	if len(c.targets) == 0 {
		return // it is given nothing
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known := c.targets[:0]
	for _, t := range c.targets {
		t.bits = l.same(t.bits)
		t.inst = l.find(t.bits, t.e.Class)
		if t.inst == nil || t.e.Op == OpUse && t.inst.state != released {
			continue // nobody knows of it, or it is as it should be
		}
		known = append(known, t)
		if t.e.ends(c.f) && t.inst.state == live && !l.class(t.inst.site.class).Reused {
			c.gives = true
		}
	}
	c.targets = known
}

// target adds what stands at the place of an effect whose condition may hold.
func (c *Call) target(e *Effect) {
	var each func(i int) bool
	switch e.When {
	case WhenTrue, WhenFalse:
		if e.Arg >= c.f.Ins {
			break // a result: decided when the call is over
		}
		if is, ok := yes(e.Arg, c.ins, nil); !ok || is != (e.When == WhenTrue) {
			return
		}
	case WhenEach:
		bools, ok := Place{Root: e.Arg}.value(c.ins, nil)
		if !ok {
			return
		}
		each = func(i int) bool { return i >= 0 && i < bools.Len() && bools.Index(i).Bool() }
	}
	if e.Place.Root < 0 {
		c.targets = append(c.targets, target{e: e, bits: processHandle(c.l.className(e.Class))})
		return
	}
	e.Place.handles(c.ins, nil, func(i int, h handle) {
		if each != nil && !each(i) {
			return
		}
		c.targets = append(c.targets, target{e: e, bits: h.bits})
	})
}

// ends reports whether an effect may give its resource up at the entry, so that
// it matters where that is.
func (e *Effect) ends(f *Func) bool {
	return (e.Op == OpRelease || e.Op == OpConsume) && !later(e.When, e.Arg, f)
}

// enter does what happens at the entry of a call. Releases do: once the library
// has freed the memory, another goroutine may be given the same address.
func (c *Call) enter(pcs []uintptr) {
	l := c.l
	var at *stack
	if c.gives {
		at = l.whence(c.f, pcs)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range c.targets {
		inst := t.inst
		if inst.state != live { // it may have ended since, and the handle be another's
			if inst = l.find(t.bits, t.e.Class); inst == nil {
				continue
			}
		}
		switch t.e.Op {
		case OpUse:
			l.use(c, inst)
		case OpUnsure:
			inst.unsure = true
		default:
			l.giveUp(c, t.e, inst, at)
		}
	}
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
