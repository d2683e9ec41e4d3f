// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"context"
	"reflect"
)

// cleanup replaces the func at a place, which releases what the call acquired,
// by one that says so and then calls it.
func (c *Call) cleanup(e *Effect) {
	v, ok := e.Place.value(nil, nil)
	if n := e.Place.Root - len(c.ins); n >= 0 && n < len(c.outs) {
		v, ok = reflect.ValueOf(c.outs[n]).Elem(), true
	}
	if ok {
		v, ok = field(v, e.Place.Path)
	}
	if !ok || v.Kind() != reflect.Func || v.IsNil() || !v.CanSet() {
		for _, inst := range c.made { // nobody will see it called
			c.l.mark(inst)
		}
		return
	}
	l := c.l
	if len(c.made) == 0 {
		// A call whose only trace is the func that undoes it: its own handle is
		// a number that nothing else has.
		var buf [depth]uintptr
		l.acquire(c, e, handle{bits: processHandle(c.f.Name) + 2*l.acquired.Load()}, c.f.here(3, buf[:])) // Out, leave, cleanup
	}
	made := c.made // the call is over and used again when the func is called
	old := reflect.ValueOf(v.Interface())
	wrapped := reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value {
		l.finish(made)
		if v.Type().IsVariadic() {
			return old.CallSlice(args)
		}
		return old.Call(args)
	})
	v.Set(wrapped)
}

// field follows a path of fields to something that can be set.
func field(v reflect.Value, path []string) (reflect.Value, bool) {
	for _, step := range path {
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct || len(step) < 2 || step[0] != '.' {
			return v, false
		}
		if v = v.FieldByName(step[1:]); !v.IsValid() {
			return v, false
		}
	}
	return v, true
}

// cancel releases what the call acquired when the context at a place ends.
func (c *Call) cancel(e *Effect) {
	v, ok := e.Place.value(c.ins, nil)
	if !ok || len(c.made) == 0 {
		return
	}
	if ctx, is := v.Interface().(context.Context); is && ctx != nil {
		l, made := c.l, c.made
		context.AfterFunc(ctx, func() { l.finish(made) })
	}
}

// finish ends instances whose release is no call of a modelled function.
func (l *ledger) finish(list []*instance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, inst := range list {
		l.end(inst, released)
		l.forget(inst)
	}
}

// mark makes an instance unsure.
func (l *ledger) mark(inst *instance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	inst.unsure = true
}

// Wrap returns f with calls of F and Out around it, for variables of function
// type. Params says which of its parameters F is given.
func Wrap[T any](n int, f T, params []int) T {
	v := reflect.ValueOf(f)
	if !std.on || v.Kind() != reflect.Func || v.IsNil() {
		return f
	}
	wrapped := reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value {
		var ins, outs []any
		for _, p := range params {
			ins = append(ins, args[p].Interface())
		}
		call := F(n, ins...)
		var results []reflect.Value
		if v.Type().IsVariadic() {
			results = v.CallSlice(args)
		} else {
			results = v.Call(args)
		}
		for i := range results {
			p := reflect.New(results[i].Type())
			p.Elem().Set(results[i])
			outs = append(outs, p.Interface())
		}
		call.Out(outs...)
		for i := range results {
			results[i] = reflect.ValueOf(outs[i]).Elem()
		}
		return results
	})
	return wrapped.Interface().(T)
}
