// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// invocation is one call with its operands evaluated, whether it stands where
// it runs or was deferred, started or handed to somebody before.
type invocation struct {
	in     ssa.CallInstruction
	common *ssa.CallCommon
	value  ssa.Value // the call's result, nil for defer and go
	fn     val       // callee, or the receiver of an interface call
	args   []val     // receiver first

	model  *rules.Func
	obj    *types.Func
	callee *ssa.Function
	method bool // args[0] is a receiver
}

func (r *run) invocation(s *state, in ssa.CallInstruction) *invocation {
	c := in.Common()
	iv := &invocation{in: in, common: c, fn: r.eval(s, c.Value)}
	for _, a := range c.Args {
		iv.args = append(iv.args, r.eval(s, a))
	}
	if call, ok := in.(*ssa.Call); ok {
		iv.value = call
	}
	r.resolve(iv)
	return iv
}

// resolve finds out who is called.
func (r *run) resolve(iv *invocation) {
	c := iv.common
	if c.IsInvoke() {
		iv.obj, iv.method = c.Method, true
		iv.args = append([]val{iv.fn}, iv.args...)
		iv.model = r.e.methodModel(c)
		return
	}
	if fn, ok := iv.fn.(*clo); ok {
		r.resolveFunc(iv, fn)
		return
	}
	if fn := r.e.varFunc(c.Value); fn != nil {
		c := &clo{fn: fn}
		iv.fn = c
		r.resolveFunc(iv, c)
		return
	}
	iv.model = r.e.varModel(c.Value)
}

func (r *run) resolveFunc(iv *invocation, c *clo) {
	fn := c.fn
	if o := fn.Origin(); o != nil {
		fn = o
	}
	iv.callee = fn
	obj, _ := fn.Object().(*types.Func)
	if obj == nil {
		return // a function literal
	}
	iv.obj = obj
	if strings.HasSuffix(fn.Name(), "$bound") {
		// defer m.Close as a value: the receiver was bound before.
		iv.args = append(append([]val(nil), c.b...), iv.args...)
		iv.callee = r.e.pkg.Prog.FuncValue(obj)
	}
	iv.method = obj.Signature().Recv() != nil
	iv.model = r.e.model(obj)
}

// call executes a call instruction.
func (r *run) call(fr *frame, s *state, in *ssa.Call) ([]*state, bool) {
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		return r.builtin(fr, s, in, b)
	}
	iv := r.invocation(s, in)
	if r.e.noReturn(iv) {
		return nil, true // os.Exit and friends: the process takes everything along
	}
	r.panics(fr, s, iv)
	return r.invoke(fr, s, iv)
}

// invoke applies whatever is known about the callee.
func (r *run) invoke(fr *frame, s *state, iv *invocation) ([]*state, bool) {
	if r.after && r.afterCall(fr, s, iv) {
		return nil, true
	}
	now, at := r.now, r.at
	r.now, r.at = iv, fr
	out, forked := r.dispatch(fr, s, iv)
	r.now, r.at = now, at
	return out, forked
}

func (r *run) dispatch(fr *frame, s *state, iv *invocation) ([]*state, bool) {
	if r.watch != nil {
		r.watch(s, iv)
	}
	if r.target != nil && iv.in == r.target.call && s.status == unborn {
		return r.bear(fr, s, iv)
	}
	if _, ok := iv.fn.(done); ok && !iv.common.IsInvoke() {
		s.status = released
		return r.settle(s)
	}
	if !iv.common.IsInvoke() && s.status == live && r.closerField(s, iv) {
		s.status = released
		if _, whole := iv.fn.(own); !whole && r.target == nil {
			s.status = unknown // which of the object's resources it releases is not known here
		}
		return r.settle(s)
	}
	if r.unexpected(fr, s, iv) {
		return nil, true
	}
	if iv.model != nil {
		return r.applyModel(fr, s, iv)
	}
	if c, ok := iv.fn.(*clo); ok && iv.obj == nil {
		if out, ok := r.inline(fr, s, c, iv); ok {
			return out, true
		}
	}
	if r.registers(iv) {
		return r.callArgs(fr, s, iv)
	}
	if s.status == live {
		return r.applyKnown(fr, s, iv)
	}
	return r.applyUnborn(fr, s, iv)
}

// unexpected reports a call that fails a test because the acquisition did not
// fail: the path exists only if the test is wrong.
//
//	if _, err := ort.NewTensor(bad, data); err == nil { t.Error("no error") }
//	assert.Error(t, err)
func (r *run) unexpected(fr *frame, s *state, iv *invocation) bool {
	if iv.obj == nil || iv.obj.Pkg() == nil {
		return false
	}
	switch path := iv.obj.Pkg().Path(); {
	case path == "testing":
		switch iv.obj.Name() {
		case "Error", "Errorf", "Fail":
			return s.status == live && s.tested != nil && s.tested == fr.cur
		}
	case strings.HasSuffix(path, "testify/assert") || strings.HasSuffix(path, "testify/require"):
		name := iv.obj.Name()
		for _, a := range iv.args {
			x, ok := a.(sym)
			if !ok {
				continue
			}
			f, known := s.facts.get(x)
			switch {
			case strings.HasPrefix(name, "Error") || strings.HasPrefix(name, "EqualError"):
				if known && f.isNil > 0 {
					return true
				}
			case strings.HasPrefix(name, "NoError"):
				if known && f.isNil < 0 {
					return true
				}
				if x.v != nil {
					s.facts.set(x, fact{isNil: 1})
				}
			}
		}
	}
	return false
}

// settle ends a path on which the resource is no longer this function's.
func (r *run) settle(s *state) ([]*state, bool) {
	if s.status == live || s.status == unborn {
		return nil, false
	}
	r.sawEnd = true
	if r.after {
		return r.afterSettle(s)
	}
	if (s.status == released || s.status == moved && r.effect != nil) && r.target != nil && !r.worth {
		r.ends = true
		r.worth = r.at == nil || r.worthAfter(r.at, s)
	}
	if r.target == nil {
		return nil, false // a summary wants to know what the return then says
	}
	r.outs = append(r.outs, outcome{kind: settledKind(s.status), s: s})
	return nil, true
}

// inline executes a function literal in place.
func (r *run) inline(fr *frame, s *state, c *clo, iv *invocation) ([]*state, bool) {
	fn := c.fn
	if len(fn.Blocks) == 0 || r.active[fn] > 0 || fr.depth >= maxInline || len(iv.args) != len(fn.Params) {
		return nil, false
	}
	r.bind(s, fn, c, iv.args)
	s.defers = append(s.defers, nil)
	rets := r.exec(fn, s, fr.depth+1)
	var out []*state
	for _, ret := range rets {
		t := ret.s
		t.defers = t.defers[:len(t.defers)-1]
		var v val
		switch len(ret.vals) {
		case 0:
		case 1:
			v = ret.vals[0]
		default:
			v = &tup{ret.vals}
		}
		if _, isInt := v.(intVal); isInt && iv.value != nil && !isStatus(iv.value.Type()) {
			v = nil // a number: no reason to tell paths apart
		}
		if iv.value != nil && v != nil {
			t.set(iv.value, v)
		}
		if iv.in == nil && t.status == live && t.reach(v) {
			t.status = unknown // handed to whoever called the literal
			if _, ended := r.settle(t); ended {
				continue
			}
		}
		r.forget(t, fn)
		if r.lostInside(t, fn, v, ret) {
			continue
		}
		out = append(out, t)
	}
	return r.dedupe(out), true
}

func (r *run) bind(s *state, fn *ssa.Function, c *clo, args []val) {
	for i, fv := range fn.FreeVars {
		if i < len(c.b) {
			s.set(fv, c.b[i])
		}
	}
	for i, p := range fn.Params {
		s.set(p, args[i])
	}
}

// forget drops the registers of an activation that has ended.
func (r *run) forget(s *state, fn *ssa.Function) {
	s.env.keep(func(v ssa.Value, _ val) bool { return v.Parent() != fn })
	s.facts.keep(func(k sym, _ fact) bool { return k.v == nil || k.v.Parent() != fn || s.refers(k) })
}

// refers reports whether something still has the opaque value k.
func (s *state) refers(k sym) bool {
	for _, v := range s.env.all() {
		if v == val(k) {
			return true
		}
		if t, ok := v.(*tup); ok {
			for _, e := range t.vs {
				if e == val(k) {
					return true
				}
			}
		}
	}
	for _, v := range s.mem.all() {
		if v == val(k) {
			return true
		}
	}
	return false
}

// lostInside reports a resource that was acquired inside a literal and that
// nothing leads to any more when the literal returns.
func (r *run) lostInside(s *state, fn *ssa.Function, result val, at ret) bool {
	if s.status != live || r.target == nil || r.birth[fn] == nil {
		return false
	}
	if s.reach(result) || s.reachable(func(v ssa.Value) bool { return v.Parent() != fn }) {
		return false
	}
	r.out(outcome{kind: Leak, s: s, pos: exitPos(at.in), ret: at.in, vals: at.vals, fn: fn})
	return true
}

func (r *run) dedupe(states []*state) []*state {
	if len(states) < 2 {
		return states
	}
	seen := map[uint64]bool{}
	out := states[:0]
	for _, s := range states {
		k := s.key(&r.ids)
		if !seen[k] {
			seen[k] = true
			out = append(out, s)
		}
	}
	return out
}
