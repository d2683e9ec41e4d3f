// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"reflect"
	"strconv"
	"strings"
)

// splitInject reads the value of EnvInject: "ID", or "ID@3" for the third call
// that a test makes there.
func splitInject(text string) (id string, nth int) {
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		if n, err := strconv.Atoi(text[i+1:]); err == nil && n > 0 {
			return text[:i], n
		}
	}
	return text, 1
}

// Failure is the error of a call that fails on purpose.
type Failure struct{ Point string }

// Error says that it is none of the program's.
func (f *Failure) Error() string { return "gpumemlint made this call fail (" + f.Point + ")" }

// Inject returns f, or, where the run wants point n to fail now, a function of
// the same type that does nothing and says that it has failed: its results are
// zero, the last one an error, a status that is not success, or false.
// The test is right after "function value", before its arguments are computed.
func Inject[F any](n int, success int64, f F) F {
	if !std.on || !std.hit(n, 0) {
		return f
	}
	typ := reflect.TypeOf(f)
	if typ == nil || typ.Kind() != reflect.Func {
		return f // cannot be: the instrumentation gives it functions
	}
	fn := reflect.MakeFunc(typ, func([]reflect.Value) []reflect.Value {
		outs := make([]reflect.Value, typ.NumOut())
		for i := range outs {
			outs[i] = reflect.New(typ.Out(i)).Elem()
		}
		if len(outs) > 0 {
			setFailed(outs[len(outs)-1], success, std.table.Points[n])
		}
		return outs
	})
	return fn.Interface().(F)
}

// Fail reports whether point n fails now, and if so, sets the results of a
// C call accordingly: outs are pointers to its result and, if there is one, its errno error.
func Fail(n int, success int64, outs ...any) bool {
	if !std.on || !std.hit(n, 1) {
		return false
	}
	for _, out := range outs {
		setFailed(reflect.ValueOf(out).Elem(), success, std.table.Points[n])
	}
	return true
}

// Hit says that a test comes by point n, where nothing fails.
func Hit(n int) {
	if std.on {
		std.hit(n, 0)
	}
}

var errorType = reflect.TypeOf((*error)(nil)).Elem()

// setFailed gives v the value that says that a call has failed: an error, a
// status other than success, or the zero that it is.
func setFailed(v reflect.Value, success int64, point string) {
	status := int64(2) // "out of memory" in CUDA and HIP
	if success == status {
		status = 1
	}
	switch {
	case v.Kind() == reflect.Interface && v.Type().Implements(errorType) && reflect.TypeOf((*Failure)(nil)).Implements(v.Type()):
		v.Set(reflect.ValueOf(&Failure{point}))
	case v.Kind() == reflect.Pointer && v.Type().Implements(errorType):
		v.Set(reflect.New(v.Type().Elem())) // an error type of the program's own
	case v.CanInt() && !v.OverflowInt(status):
		v.SetInt(status)
	case v.CanUint() && !v.OverflowUint(uint64(status)):
		v.SetUint(uint64(status))
	}
}

// hit counts a call at point n, and reports whether it fails. Skip is how many
// frames of the caller are our own literals.
func (l *ledger) hit(n, skip int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n >= len(l.table.Points) {
		return false
	}
	x := l.tests.current()
	top := &l.nobody
	if x != nil {
		top = x.top
	}
	if top.points == nil {
		top.points = map[int]int{}
	}
	top.points[n]++
	if n != l.inject || top.fired || top.points[n] < l.nth {
		return false
	}
	top.fired = true
	var buf [depth]uintptr
	at := l.stacks.intern((&Func{}).here(2+skip, buf[:]))
	l.out.write(Record{Kind: KindInject, Test: x.nameOrNone(), Point: l.table.Points[n], Stack: l.frames(at, &Func{Raw: true})})
	return true
}
