// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package dead

/*
#include <stdlib.h>
typedef struct thing thing;
static thing *thing_new(void) { return 0; }
static void thing_free(thing *t) {}
static int thing_run(thing *t) { return 0; }
static int thing_run_all(thing **t, int n) { return 0; }
*/
import "C"

import "runtime"

type thing struct{ c *C.thing }

func newThing() *thing {
	t := &thing{c: C.thing_new()}
	runtime.SetFinalizer(t, func(t *thing) { C.thing_free(t.c) })
	return t
}

func (t *thing) raw() *C.thing { return t.c }

func temporary() int {
	t := newThing()
	return int(C.thing_run(t.c)) // want `t is not used after this call of C.thing_run, and its finalizer may free the handle meanwhile: call runtime.KeepAlive\(t\) behind it \(GM402\)`
}

func temporaryRight() int {
	t := newThing()
	n := C.thing_run(t.c)
	runtime.KeepAlive(t)
	return int(n)
}

func getter() int {
	return int(C.thing_run(newThing().raw())) // want `the object is not used after this call of C.thing_run`
}

func usedLater() int {
	t := newThing()
	n := C.thing_run(t.c)
	return int(n) + int(C.thing_run(t.c)) // want `t is not used after this call`
}

func deferred() int {
	t := newThing()
	defer runtime.KeepAlive(t)
	return int(C.thing_run(t.c))
}

var kept []*thing

func storedAway() int {
	t := newThing()
	kept = append(kept, t)
	return int(C.thing_run(t.c))
}

func returned() (*thing, int) {
	t := newThing()
	n := C.thing_run(t.c)
	return t, int(n)
}

// The package keeps such objects alive elsewhere.
func parameter(t *thing) int {
	return int(C.thing_run(t.c)) // want `t is not used after this call of C.thing_run`
}

func all(list []*thing) int {
	var raw []*C.thing
	for _, t := range list {
		raw = append(raw, t.c)
	}
	return int(C.thing_run_all(&raw[0], C.int(len(raw)))) // want `list is not used after this call of C.thing_run_all`
}

func allRight(list []*thing) int {
	var raw []*C.thing
	for _, t := range list {
		raw = append(raw, t.c)
	}
	n := C.thing_run_all(&raw[0], C.int(len(raw)))
	runtime.KeepAlive(list)
	return int(n)
}

func inLoop(n int) {
	t := newThing()
	for range n {
		C.thing_run(t.c)
	}
}

type owner struct{ t *thing }

// Something that lives on holds it.
func (o *owner) run() int { return int(C.thing_run(o.t.c)) }
