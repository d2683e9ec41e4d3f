// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

// later reports whether only the results of the call decide on an ending.
func later(when When, arg int, f *Func) bool {
	return when == WhenFailure || (when == WhenTrue || when == WhenFalse) && arg >= f.Ins
}

// use checks that a resource that a call is given is still there.
func (l *ledger) use(c *Call, inst *instance) {
	if inst.state != released {
		return // there, or moved to where it may be used
	}
	if inst.busy > 0 || inst.unsure || inst.refs > 0 {
		return // its release calls this itself, or the handle may have been given out again
	}
	l.misuse(UseAfterRelease, c, inst)
}

// misuse tells of it at once: the call may end the process. It is rare enough
// to be worth a walk of its own, deeper than that of a release.
func (l *ledger) misuse(what string, c *Call, inst *instance) {
	var buf [depth]uintptr
	at := l.stacks.intern(c.f.here(4, buf[:])) // F, enter, use or giveUp, misuse
	if l.inside(c.f, at) {
		return // the library's own affair
	}
	l.out.write(Record{
		Kind: KindMisuse, Test: l.tests.current().nameOrNone(), Misuse: what, ID: inst.id,
		Class: l.className(inst.site.class), Call: c.f.Name,
		Stack:   l.frames(at, c.f),
		Acquire: l.frames(inst.site.stack, inst.site.fn),
		Release: l.frames(inst.freed, inst.freer),
	})
}

// giveUp does what a release or a consumption does.
func (l *ledger) giveUp(c *Call, e *Effect, inst *instance, at *stack) {
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
		case e.AgainOK, l.class(inst.site.class).AgainOK: // harmless
		case inst.refs > 0: // the handle was given out more than once
			inst.refs--
		case e.Op == OpRelease:
			l.misuse(DoubleRelease, c, inst)
		}
		return
	}
	if inst.state != live {
		return // whoever it was moved to may release it
	}
	if later(end.when, end.arg, c.f) {
		inst.busy++
		c.ended = append(c.ended, end)
		return // decided when the call is over
	}
	inst.refs--
	if inst.refs > 0 && l.class(inst.site.class).Process && inst.bits == processHandle(l.className(inst.site.class)) {
		return // a counter: others have it open
	}
	inst.busy++
	c.ended = append(c.ended, end)
	l.close(c, inst, end.how, at)
}

// close ends an instance and remembers where.
func (l *ledger) close(c *Call, inst *instance, how condition, at *stack) {
	inst.freed, inst.freer = at, c.f
	l.end(inst, how)
	l.bury(inst)
}

// settle ends the releases that the entry has begun.
func (c *Call) settle(ok bool) {
	if len(c.ended) == 0 {
		return
	}
	var buf [releaseDepth]uintptr
	var pcs []uintptr
	for _, e := range c.ended {
		if later(e.when, e.arg, c.f) {
			pcs = c.f.here(3, buf[:]) // Out, leave, settle
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
		case !later(e.when, e.arg, c.f):
			// done at the entry
		case e.when == WhenFailure:
			if !ok {
				c.l.close(c, e.inst, e.how, c.l.stacks.intern(pcs))
			}
		default:
			if is, known := yes(e.arg, c.ins, c.outs); known && is == (e.when == WhenTrue) {
				c.l.close(c, e.inst, e.how, c.l.stacks.intern(pcs))
			}
		}
	}
}
