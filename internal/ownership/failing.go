// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// failsAt says where the call stands whose failure the verdict's path is on,
// for those who want to see it fail: `gpumemlint test` makes it return an
// error. It also becomes a stop of the trace, since the exit itself rarely
// tells why it is taken.
func (e *engine) failsAt(v *Verdict) {
	call, _ := e.failingCall(v.cause)
	if call == nil {
		return // on no failure, or on one that no call reports
	}
	v.FailedAt = e.callPos(call)
	if v.Failed == "" {
		v.Failed = e.failedCall(v.cause)
	}
	last := len(v.Trace) - 1
	if last < 0 || v.Trace[last].Text != lostHere || v.FailedAt == v.Trace[last].Pos {
		return // a path without an end, or `return f()`
	}
	text := "fails"
	if v.Failed != "" {
		text = v.Failed + " fails"
	}
	v.Trace = slices.Insert(v.Trace, last, report.Step{Pos: v.FailedAt, Text: text})
}

// lostHere ends the trace of what is lost at an exit.
const lostHere = "lost here"

// failedCall names the call whose failure a path is on.
func (e *engine) failedCall(v ssa.Value) string {
	call, isC := e.failingCall(v)
	switch {
	case call == nil:
		return ""
	case isC:
		return e.calleeName(&call.Call)
	}
	if name := e.sourceName(call); name != "a function value" {
		return name
	}
	return ""
}

// failingCall finds the call that a failure comes from:
//
//	t3 = New(x)            the call
//	t4 = extract t3 #1     its error
//	t5 = phi [1: t4, …]    the variable
//
// A call of the literal that cgo wraps around a C call is that C call.
func (e *engine) failingCall(v ssa.Value) (call *ssa.Call, isC bool) {
	for i := 0; i < 6 && v != nil; i++ {
		switch x := v.(type) {
		case *ssa.Extract:
			v = x.Tuple
		case *ssa.Call:
			if fn := x.Call.StaticCallee(); fn != nil && fn.Object() == nil {
				if inner := innerC(fn); inner != nil {
					return inner, true
				}
			}
			return x, false
		case *ssa.Phi:
			v = x.Edges[0]
		default:
			return nil, false
		}
	}
	return nil, false
}

// innerC is the C call inside the literal that cgo wraps around it.
func innerC(fn *ssa.Function) *ssa.Call {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if call, ok := in.(*ssa.Call); ok {
				if callee := call.Call.StaticCallee(); callee != nil {
					if _, ok := cFuncName(callee.Name()); ok {
						return call
					}
				}
			}
		}
	}
	return nil
}
