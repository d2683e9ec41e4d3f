// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// waitWords are in the names of functions that may wait for a device.
var waitWords = []string{"sync", "wait", "finish", "flush", "join", "drain", "fence", "barrier"}

// mayWait reports whether a function of the package can wait for the device, by
// its body: it calls something that does, or that cannot be seen.
func (e *engine) mayWait(fn *ssa.Function) bool {
	if got, ok := e.waiters[fn]; ok {
		return got // also the answer to recursion
	}
	if e.waiters == nil {
		e.waiters = map[*ssa.Function]bool{}
	}
	e.waiters[fn] = false
	found := false
	eachCall(fn, func(in ssa.CallInstruction) {
		found = found || e.callWaits(in.Common())
	})
	e.waiters[fn] = found
	return found
}

// callWaits reports whether a call can wait for the device.
func (e *engine) callWaits(c *ssa.CallCommon) bool {
	if m := e.callModel(c); m != nil {
		return does(m, rules.OpSync) || !does(m, rules.OpAsync) && hasWord(m.Key, []string{"memcpy", "download", "tohost", "readback"})
	}
	if c.IsInvoke() {
		pkg := c.Method.Pkg()
		return pkg != nil && !isStd(pkg.Path()) || hasWord(c.Method.Name(), waitWords)
	}
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return false
	}
	fn := c.StaticCallee()
	if fn == nil {
		return literalOf(c.Value) == nil // literals are looked into where they stand
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if e.local(fn) {
		return e.mayWait(fn)
	}
	obj, _ := fn.Object().(*types.Func)
	iv := &invocation{common: c, callee: fn, obj: obj}
	return !e.foreign(iv) || hasWord(fn.Name(), waitWords)
}

// startsIn is the asynchronous operation that a helper starts on its parameter
// i and does not wait for, or nil.
//
//	func upload(b *buffer, s *stream) { cudaMemcpyAsync(b.p, …, s) }
func (e *engine) startsIn(fn *ssa.Function, i int) ssa.CallInstruction {
	key := effectKey{fn: fn, arg: i}
	if got, ok := e.starts[key]; ok {
		return got
	}
	if e.starts == nil {
		e.starts = map[effectKey]ssa.CallInstruction{}
	}
	e.starts[key] = nil
	if e.mayWait(fn) {
		return nil
	}
	var found ssa.CallInstruction
	eachCall(fn, func(in ssa.CallInstruction) {
		m := e.callModel(in.Common())
		if m == nil || found != nil {
			return
		}
		for _, eff := range m.Effects {
			if eff.Op != rules.OpAsync {
				continue
			}
			if x := operand(in.Common(), eff.Place); x != nil && paramBehind(x, 0) == fn.Params[i] {
				found = in
			}
		}
	})
	e.starts[key] = found
	return found
}

// helperStarts reports whether a call is one of a helper that starts an
// operation on an argument.
func (e *engine) helperStarts(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil || fn.Object() == nil || !e.local(fn) {
		return false
	}
	for i := range fn.Params {
		if e.startsIn(fn, i) != nil {
			return true
		}
	}
	return false
}

// paramBehind is the parameter that a value is, through conversions and what
// cgo's literals capture.
func paramBehind(v ssa.Value, depth int) *ssa.Parameter {
	if depth > 6 {
		return nil
	}
	switch x := plainValue(v).(type) {
	case *ssa.Parameter:
		return x
	case *ssa.UnOp:
		if x.Op != token.MUL {
			return nil
		}
		from := x.X
		if fv, ok := from.(*ssa.FreeVar); ok {
			from = binding(fv)
		}
		if cell, ok := from.(*ssa.Alloc); ok {
			if val := onlyStore(cell); val != nil {
				return paramBehind(val, depth+1)
			}
		}
	case *ssa.FreeVar:
		if b := binding(x); b != nil {
			return paramBehind(b, depth+1)
		}
	}
	return nil
}

// otherPlaces reports whether two places have names of their own: two package
// variables, or two fields of one object. The streams in them are two, while
// those of two objects may be one.
func otherPlaces(a, b loc) bool {
	if strings.Contains(a.path+b.path, "[") {
		return false
	}
	_, global := a.root.(*ssa.Global)
	_, also := b.root.(*ssa.Global)
	return a.root == b.root && a.path != b.path || global && also && a.root != b.root
}
