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

// varModel is the model of a package variable of function type: go-nvml's
// whole interface.
//
//	t0 = *nvml.EventSetCreate
//	t1 = t0()
func (e *engine) varModel(v ssa.Value) *rules.Func {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	g, ok := load.X.(*ssa.Global)
	if !ok {
		return nil
	}
	obj, _ := g.Object().(*types.Var)
	return e.models.Var(obj)
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
	return r.invoke(fr, s, iv)
}

// invoke applies whatever is known about the callee.
func (r *run) invoke(fr *frame, s *state, iv *invocation) ([]*state, bool) {
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
		return r.callArgs(fr, s, iv, true)
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
			f, known := s.facts[x]
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
					s.facts[x] = fact{isNil: 1}
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
	if r.target == nil {
		return nil, false // a summary wants to know what the return then says
	}
	r.outs = append(r.outs, outcome{kind: settledKind(s.status), s: s})
	return nil, true
}

// closerField reports whether a func in a field is called that is named like a
// release, on an object that holds the resource.
func (r *run) closerField(s *state, iv *invocation) bool {
	if !hasWord(fieldOf(iv.common.Value), closerWords) {
		return false
	}
	switch fn := iv.fn.(type) {
	case own:
		return true
	case sym:
		if fn.v != nil {
			return false
		}
		up := loc{root: fn.l.root, old: fn.l.old, path: parentPath(fn.l.path)}
		return s.reachLoc(up, map[loc]bool{})
	}
	return false
}

// closerWords are in the names of fields that hold a release.
var closerWords = append([]string{"cleanup", "cancel", "stop", "teardown", "done", "finish", "drop", "fini"}, releaseWords...)

// fieldOf is the name of the field that a function value was loaded from.
func fieldOf(v ssa.Value) string {
	if load, ok := v.(*ssa.UnOp); ok {
		if f, ok := load.X.(*ssa.FieldAddr); ok {
			return fieldName(f.X.Type(), f.Field)
		}
	}
	if f, ok := v.(*ssa.Field); ok {
		return fieldName(f.X.Type(), f.Field)
	}
	return ""
}

// varFunc is the function behind a package variable that is assigned once, by
// its initialiser.
func (e *engine) varFunc(v ssa.Value) *ssa.Function {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	g, ok := load.X.(*ssa.Global)
	if !ok || g.Pkg != e.pkg {
		return nil
	}
	if e.funcVars == nil {
		e.funcVars = map[*ssa.Global]*ssa.Function{}
		e.findFuncVars()
	}
	return e.funcVars[g]
}

func (e *engine) findFuncVars() {
	twice := map[*ssa.Global]bool{}
	all := append([]*ssa.Function(nil), e.funcs...)
	if init := e.pkg.Func("init"); init != nil {
		all = append(all, init)
	}
	for _, fn := range all {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				st, ok := in.(*ssa.Store)
				if !ok {
					continue
				}
				g, ok := st.Addr.(*ssa.Global)
				if !ok {
					continue
				}
				f, ok := st.Val.(*ssa.Function)
				if !ok || e.funcVars[g] != nil || twice[g] {
					twice[g] = true
					delete(e.funcVars, g)
					continue
				}
				e.funcVars[g] = f
			}
		}
	}
}

// inline executes a function literal in place.
func (r *run) inline(fr *frame, s *state, c *clo, iv *invocation) ([]*state, bool) {
	fn := c.fn
	if len(fn.Blocks) == 0 || r.active[fn] > 0 || fr.depth >= maxInline || len(iv.args) != len(fn.Params) {
		return nil, false
	}
	r.bind(s, fn, c, iv.args)
	s.defers = append(s.defers, nil)
	rets := r.exec(fn, s, fr.depth+1, false)
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
	for v := range s.env {
		if v.Parent() == fn {
			delete(s.env, v)
		}
	}
	for k := range s.facts {
		if k.v != nil && k.v.Parent() == fn && !s.refers(k) {
			delete(s.facts, k)
		}
	}
}

// refers reports whether something still has the opaque value k.
func (s *state) refers(k sym) bool {
	for _, v := range s.env {
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
	for _, v := range s.mem {
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

// deferCall registers a deferred call with its operands.
func (r *run) deferCall(s *state, in *ssa.Defer) {
	d := deferred{call: in, fn: r.eval(s, in.Call.Value)}
	for _, a := range in.Call.Args {
		d.args = append(d.args, r.eval(s, a))
	}
	i := len(s.defers) - 1
	if in.DeferStack != nil {
		i = 0 // in the body of a range over func: runs when the outer function ends
	}
	s.defers[i] = append(s.defers[i][:len(s.defers[i]):len(s.defers[i])], d)
	r.lateOperand(s, in, d)
}

// lateOperand remembers a deferred release whose operand is still nil: it was
// evaluated before the resource was there.
func (r *run) lateOperand(s *state, in *ssa.Defer, d deferred) {
	if s.status == live || len(d.args) == 0 && len(closureArgs(d.fn)) == 0 {
		return
	}
	args := d.args
	if len(args) == 0 {
		args = closureArgs(d.fn)
	}
	for _, a := range args {
		if p, ok := a.(ptr); ok && len(d.args) == 0 {
			a = s.mem[p.l] // cgo's variable, captured
		}
		if isNilLike(a) || a == intVal("0") {
			s.lateDefer = in.Pos()
			s.lateCall = in
			return
		}
	}
}

// closureArgs are the operands of a deferred C call: cgo evaluates them in a
// literal that returns the literal to be deferred.
func closureArgs(v val) []val {
	if c, ok := v.(*clo); ok {
		return c.b
	}
	return nil
}

// runDefers executes the deferred calls of the innermost activation.
func (r *run) runDefers(fr *frame, s *state) []*state {
	states := []*state{s}
	for {
		var next []*state
		progress := false
		for _, s := range states {
			top := len(s.defers) - 1
			n := len(s.defers[top])
			if n == 0 {
				next = append(next, s)
				continue
			}
			progress = true
			d := s.defers[top][n-1]
			s.defers[top] = s.defers[top][:n-1]
			iv := &invocation{in: d.call, common: &d.call.Call, fn: d.fn, args: d.args}
			r.resolve(iv)
			if r.builtinDefer(iv) {
				next = append(next, s)
				continue
			}
			if out, forked := r.invoke(fr, s, iv); forked {
				next = append(next, out...)
			} else {
				next = append(next, s)
			}
		}
		states = r.dedupe(next)
		if !progress || len(states) == 0 {
			return states
		}
		if len(states) > r.hard {
			states = states[:r.hard]
			r.degraded = true
		}
	}
}

func (r *run) builtinDefer(iv *invocation) bool {
	_, ok := iv.common.Value.(*ssa.Builtin)
	return ok
}

// goCall hands the resource to a goroutine if the goroutine releases it.
func (r *run) goCall(fr *frame, s *state, in *ssa.Go) ([]*state, bool) {
	iv := r.invocation(s, in)
	if s.status != live {
		if c, ok := iv.fn.(*clo); ok && s.status == unborn && r.target != nil && iv.obj == nil {
			s.escapeCells(c)
		}
		return nil, false
	}
	held := s.reach(iv.fn)
	for _, a := range iv.args {
		held = held || s.reach(a)
	}
	if !held {
		return nil, false
	}
	c, ok := iv.fn.(*clo)
	if !ok || iv.obj != nil {
		return r.invoke(fr, s, iv)
	}
	return r.tryClosure(fr, s, c, iv.args, true)
}

// tryClosure executes a literal that runs some time later, or maybe not at
// all: in a goroutine, or called by code that cannot be seen. If it releases
// the resource it owns it; if it only uses it, nothing changes.
func (r *run) tryClosure(fr *frame, s *state, c *clo, args []val, isGo bool) ([]*state, bool) {
	fn := c.fn
	if len(fn.Blocks) == 0 || r.active[fn] > 0 || fr.depth >= maxInline {
		s.status = unknown
		return r.settle(s)
	}
	for len(args) < len(fn.Params) {
		args = append(args, sym{v: fn.Params[len(args)]})
	}
	t := s.clone()
	r.bind(t, fn, c, args)
	t.defers = append(t.defers, nil)
	mark := len(r.outs)
	rets := r.exec(fn, t, fr.depth+1, isGo)
	ended, lives := 0, 0
	for _, o := range r.outs[mark:] {
		if o.kind == Settled || o.kind == MayOwn {
			ended++
		}
	}
	var leak *ret
	for i := range rets {
		switch rets[i].s.status {
		case live:
			lives++
			leak = &rets[i]
		case released, moved, unknown:
			ended++
		}
	}
	switch {
	case ended == 0 && len(rets) == 0:
		// Never returns: it keeps the resource for good.
		s.status = moved
		return r.settle(s)
	case ended == 0:
		return nil, false // only uses it
	case lives == 0:
		s.status = moved
		return r.settle(s)
	case isGo:
		r.forget(leak.s, fn)
		leak.s.defers = leak.s.defers[:len(leak.s.defers)-1]
		r.out(outcome{kind: Leak, s: leak.s, pos: exitPos(leak.in), ret: leak.in, vals: leak.vals, fn: fn})
		return nil, true
	}
	s.status = unknown
	return r.settle(s)
}

// escapeCells: what a goroutine may write is not known any more.
func (s *state) escapeCells(c *clo) {
	for i, b := range c.b {
		if p, ok := b.(ptr); ok && i < len(c.fn.FreeVars) && mayWrite(c.fn.FreeVars[i], 0) {
			s.havoc(p.l)
		}
	}
}

// mayWrite reports whether a captured variable is more than read.
func mayWrite(v ssa.Value, depth int) bool {
	if depth > 3 {
		return true
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			fn := ref.Fn.(*ssa.Function)
			for i, b := range ref.Bindings {
				if b == v && mayWrite(fn.FreeVars[i], depth+1) {
					return true
				}
			}
		default:
			return true
		}
	}
	return false
}

// havoc forgets what an unknown callee may have overwritten, but not the
// resource: nobody overwrites a handle that was handed to him by chance.
func (s *state) havoc(l loc) {
	for m, v := range s.mem {
		if _, ok := l.under(m); ok && !s.reach(v) {
			delete(s.mem, m)
		}
	}
	s.mem[loc{root: l.root, old: l.old, path: "?"}] = nilVal{}
}
