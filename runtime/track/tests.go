// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"runtime"
	"strings"
	"time"
	"unsafe"
)

// TB is what a test, a benchmark or a fuzz target offers.
type TB interface {
	Name() string
	Cleanup(func())
	Failed() bool
	Skipped() bool
}

// tests are those of the process. The ledger's lock guards them.
type tests struct {
	byT     map[TB]*test
	byName  map[string]*test // those that have not ended
	byLabel map[unsafe.Pointer]*test
	byGo    map[uint64]*test
	foreign map[unsafe.Pointer]*test // labels that the program has set, by the test that was seen with them
	runs    map[string]int
	active  int // top-level tests that have not ended
}

// A test is a test or a subtest. What a subtest does is on the account of its
// top-level test: what it leaves behind may be its parent's to release.
type test struct {
	name  string
	top   *test
	run   int
	mark  mark
	ended bool

	// Of top-level tests only.
	counts map[*site]*count
	points map[int]int
	fired  bool  // the chosen point has failed
	sweeps int   // collections that loops have asked for
	from   int64 // number of the last event before it began
	loops  map[int][]*loopRun
}

// A count is the account of one site in one test.
type count struct {
	acquired, released, moved, collected, forgotten, live int
	history                                               history
}

// Test says that a function that was given t has begun. The first one for a t
// is the test itself; further ones change nothing. The end comes by t.Cleanup,
// after everything that the test registers there.
func Test(t TB) {
	if std.on {
		std.begin(t)
	}
}

// Example says that an example has begun; the func it returns, that it has ended.
func Example(name string) func() {
	if !std.on {
		return func() {}
	}
	e := &example{name: name}
	std.begin(e)
	return e.end
}

// example is the TB of an example, which has none.
type example struct {
	name string
	end  func()
}

func (e *example) Name() string     { return e.name }
func (e *example) Cleanup(f func()) { e.end = f }
func (e *example) Failed() bool     { return false }
func (e *example) Skipped() bool    { return false }

func (l *ledger) begin(t TB) {
	l.mu.Lock()
	if l.tests.byT[t] != nil {
		l.mu.Unlock()
		return // a helper of a test that has begun
	}
	if l.tests.byT == nil {
		l.tests = tests{
			byT: map[TB]*test{}, byName: map[string]*test{}, byLabel: map[unsafe.Pointer]*test{},
			byGo: map[uint64]*test{}, foreign: map[unsafe.Pointer]*test{}, runs: map[string]int{},
		}
	}
	x := &test{name: t.Name()}
	x.top = x
	for name := x.name; ; {
		slash := strings.LastIndexByte(name, '/')
		if slash < 0 {
			break
		}
		name = name[:slash]
		if parent := l.tests.byName[name]; parent != nil {
			x.top = parent.top
			break
		}
	}
	if x.top == x {
		l.tests.active++
		l.tests.runs[x.name]++
		x.run = l.tests.runs[x.name]
		x.from = l.events
		x.counts, x.points, x.loops = map[*site]*count{}, map[int]int{}, map[int][]*loopRun{}
	}
	x.mark = takeMark(x.name)
	l.tests.byT[t], l.tests.byName[x.name] = x, x
	l.tests.byLabel[x.mark.addr], l.tests.byGo[x.mark.id] = x, x
	l.mu.Unlock()
	t.Cleanup(func() { l.finishTest(t, x) })
}

// current is the test that the goroutine belongs to; nil if to none.
func (ts *tests) current() *test {
	label := labelsOfGoroutine()
	if x := ts.byLabel[label]; x != nil {
		return x
	}
	switch {
	case label != nil:
		return ts.labelled(label)
	case len(ts.foreign) == 0:
		return nil // started by no test
	}
	// The program sets labels, and when pprof.Do is over, there are those of the
	// context that it was given: none.
	x := ts.byGo[goroutineID()]
	if x != nil {
		x.mark.set()
	}
	return x
}

// labelled is the test of a goroutine for which the program has set labels of
// its own: that of the goroutine's number, or that which these labels were seen
// with, if it was one only. (The address of labels that are gone may come
// back; the test that it stood for has ended by then, in most cases.)
func (ts *tests) labelled(label unsafe.Pointer) *test {
	before, seen := ts.foreign[label]
	if before != nil && !before.top.ended && ts.active == 1 {
		return before // no other test could be meant
	}
	x := ts.byGo[goroutineID()]
	switch {
	case x == nil && before != nil && !before.top.ended:
		return before
	case x != nil && !seen, x != nil && before != nil && before.top.ended:
		ts.foreign[label] = x
	case x != nil && before != x:
		ts.foreign[label] = nil // several tests share them
	}
	return x
}

func (l *ledger) finishTest(t TB, x *test) {
	if x.top == x {
		l.wait(x)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	x.ended = true
	delete(l.tests.byT, t)
	delete(l.tests.byName, x.name)
	delete(l.tests.byGo, x.mark.id)
	if x.top == x {
		l.tests.active--
		l.out.write(l.account(x, t))
		x.loops = nil
	}
}

// wait gives goroutines that the test has left, and finalizers, a moment to
// release what is there: a test need not wait for them.
func (l *ledger) wait(x *test) {
	before := -1
	for pause := time.Millisecond; pause <= 32*time.Millisecond; pause *= 2 {
		sure, backstop := l.liveOf(x)
		if backstop > 0 && backstop != before {
			before = backstop // fewer than last time: a finalizer may have let go of more
			runtime.GC()
			runtime.GC()
		} else if sure == 0 {
			return
		}
		time.Sleep(pause)
	}
}

// liveOf counts what is live of a test.
func (l *ledger) liveOf(x *test) (sure, backstop int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for s, c := range x.counts {
		switch class := l.class(s.class); {
		case class.Process: // is meant to stay
		case class.Backstop:
			backstop += c.live
		default:
			sure += c.live
		}
	}
	return sure, backstop
}

func (x *test) nameOrNone() string {
	if x == nil {
		return ""
	}
	return x.name
}

func (x *test) count(s *site) *count {
	c := x.top.counts[s]
	if c == nil {
		c = &count{}
		x.top.counts[s] = c
	}
	return c
}

// charge, settle and unsettle keep the account of a test; nobody's is not kept.
func (l *ledger) charge(x *test, inst *instance) {
	l.events++
	inst.test = x
	if x == nil {
		return
	}
	c := x.count(inst.site)
	inst.count = c
	c.acquired++
	c.live++
	c.history.add(l.events, c.live)
}

func (l *ledger) settle(inst *instance, how condition) {
	l.events++
	c := inst.count
	if c == nil {
		return
	}
	c.live--
	*c.of(how)++
	c.history.add(l.events, c.live)
}

func (l *ledger) unsettle(inst *instance, how condition) {
	l.events++
	c := inst.count
	if c == nil {
		return
	}
	c.live++
	*c.of(how)--
	c.history.add(l.events, c.live)
}

func (c *count) of(how condition) *int {
	switch how {
	case released:
		return &c.released
	case moved:
		return &c.moved
	case collected:
		return &c.collected
	}
	return &c.forgotten
}
