// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

func itoa(i int64) string { return strconv.FormatInt(i, 10) }

// statusWord reports whether a type name reads like a status code.
func statusWord(name string) bool {
	name = strings.ToLower(strings.TrimPrefix(name, "_Ctype_"))
	for _, w := range []string{"error", "status", "result", "return", "ret", "code", "curesult", "err"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return name == "int"
}

// applyUnborn keeps branch facts right before the acquisition: what a callee
// may write is forgotten, and a status-to-error helper is understood later.
func (r *run) applyUnborn(fr *frame, s *state, iv *invocation) ([]*state, bool) {
	return r.callClosures(fr, s, iv)
}

// callClosures runs literals that are handed to code which cannot be seen: it
// may call them or not.
func (r *run) callClosures(fr *frame, s *state, iv *invocation) ([]*state, bool) {
	var out []*state
	for _, a := range iv.args {
		c, ok := a.(*clo)
		if !ok || c.fn.Object() != nil {
			continue
		}
		if !r.concerns(s, c) {
			s.escapeCells(c)
			continue
		}
		rounds := 1
		if isYield(c.fn) {
			rounds = 2 // the body of a range over func: one more to see what an iteration loses
		}
		cur := []*state{s.clone()}
		for i := 0; i < rounds; i++ {
			var next []*state
			for _, t := range cur {
				r.maybe++
				res, ok := r.runCallback(fr, t, c)
				r.maybe--
				if ok {
					next = append(next, res...)
				}
			}
			out = append(out, cloneAll(next)...)
			cur = next
		}
	}
	if out == nil {
		return nil, false
	}
	return r.dedupe(append(out, s)), true
}

// concerns reports whether a literal that somebody may call matters to this
// run: it holds the resource, or the acquisition is inside it.
func (r *run) concerns(s *state, c *clo) bool {
	if s.status == live && s.reach(c) {
		return true
	}
	if r.target == nil || s.status != unborn && r.birth[c.fn] == nil {
		return false
	}
	for fn := r.target.call.Parent(); fn != nil; fn = fn.Parent() {
		if fn == c.fn {
			return true
		}
	}
	return false
}

func cloneAll(states []*state) []*state {
	out := make([]*state, len(states))
	for i, s := range states {
		out[i] = s.clone()
	}
	return out
}

// isYield reports whether fn is the synthesized body of a range over func.
func isYield(fn *ssa.Function) bool {
	return strings.HasPrefix(fn.Synthetic, "range-over-func")
}

// applyKnown handles a call that has no model, with the resource alive: by the
// callee's summary, by the method's name, or by what can be ruled out.
func (r *run) applyKnown(fr *frame, s *state, iv *invocation) ([]*state, bool) {
	var held []int
	for i, a := range iv.args {
		if s.reach(a) {
			held = append(held, i)
		}
	}
	if len(held) == 0 {
		r.statusHelper(s, iv)
		if hasLiteral(iv.args) {
			return r.callClosures(fr, s, iv)
		}
		r.havocArgs(s, iv)
		if r.target != nil && r.target.acq.class.Process && iv.callee != nil && r.e.releasesProcess(iv.callee, r.target.acq.class.Name) {
			s.status = released
			return r.settle(s)
		}
		return nil, false
	}
	if iv.common.IsInvoke() && held[0] == 0 {
		return r.invokeOn(s, iv)
	}
	for _, i := range held {
		if c, ok := iv.args[i].(*clo); ok && c.fn.Object() == nil && !r.e.hasSummary(iv) {
			if isYield(c.fn) {
				return r.callClosures(fr, s, iv)
			}
			return r.tryClosure(fr, s, c, nil, false)
		}
	}
	if r.e.hasSummary(iv) {
		if out, ok := r.withLiteral(fr, s, iv, held); ok {
			return out, true
		}
		r.presentHelper(s, iv, held)
		return r.applySummary(s, iv, held)
	}
	if iv.method && held[0] == 0 && iv.obj != nil && r.target != nil && contains(r.target.acq.class.Releases, iv.obj.Name()) {
		s.status = released
		return r.settle(s)
	}
	if iv.obj != nil {
		if name, ok := cFuncName(iv.obj.Name()); ok {
			switch {
			case r.e.cEnds(name) && r.e.releasesC(iv.common, held):
				s.status = released // no model, but a name
				return r.settle(s)
			case passesDestructor(iv.common):
				s.status = moved // C.result_text(ctx, c, n, C.free)
				return r.settle(s)
			}
		}
	}
	if r.e.onlyUses(iv) && !r.insideC(iv, held) && !r.takesConfig(iv, held) || len(held) == 1 && held[0] == 0 && stdMethod(iv) {
		return nil, false
	}
	if r.target != nil && iv.value != nil {
		// It may keep it. Judge by what this function does afterwards: see
		// verdicts.
		if s.may == nil {
			s.may = map[ssa.CallInstruction]bool{}
		}
		s.may[iv.in] = true
		return nil, false
	}
	s.status = unknown
	return r.settle(s)
}

// stdMethod reports whether a method of the standard library is called on a
// part of an owner: m.mu.Lock, m.wg.Add. It keeps nothing but itself.
func stdMethod(iv *invocation) bool {
	return iv.method && iv.obj != nil && iv.obj.Pkg() != nil && isStd(iv.obj.Pkg().Path())
}

// insideC reports whether an unmodelled C function gets C memory inside a
// struct: it may keep the pointers in there.
func (r *run) insideC(iv *invocation, held []int) bool {
	if iv.obj == nil || r.target == nil || r.target.acq.class.Name != "c.heap" {
		return false // other handles are not kept by copying a pointer
	}
	if _, ok := cFuncName(iv.obj.Name()); !ok {
		return false
	}
	for _, i := range held {
		if _, direct := iv.args[i].(own); !direct {
			return true
		}
	}
	return false
}

// passesDestructor reports whether an argument is a C function that releases.
//
//	t1 = *_Cfpvar_fp_free
//	t2 = _Cgo_ptr(t1)
//	t3 = convert *[0]byte <- t2
func passesDestructor(c *ssa.CallCommon) bool {
	for _, a := range c.Args {
		for i := 0; i < 4; i++ {
			switch x := a.(type) {
			case *ssa.Convert:
				a = x.X
				continue
			case *ssa.ChangeType:
				a = x.X
				continue
			case *ssa.Call:
				if fn := x.Call.StaticCallee(); fn != nil && fn.Name() == "_Cgo_ptr" && len(x.Call.Args) == 1 {
					a = x.Call.Args[0]
					continue
				}
			case *ssa.UnOp:
				if g, ok := x.X.(*ssa.Global); ok && strings.HasPrefix(g.Name(), "_Cfpvar_fp_") && hasWord(g.Name(), releaseWords) {
					return true
				}
			}
			break
		}
	}
	return false
}

func hasLiteral(args []val) bool {
	for _, a := range args {
		if c, ok := a.(*clo); ok && c.fn.Object() == nil {
			return true
		}
	}
	return false
}

// invokeOn is an interface call on the resource itself.
func (r *run) invokeOn(s *state, iv *invocation) ([]*state, bool) {
	name := iv.common.Method.Name()
	known := r.target != nil && contains(r.target.acq.class.Releases, name)
	if known || releaseNames[name] {
		s.status = released
		return r.settle(s)
	}
	return nil, false // any other method of a handle uses it
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// havocArgs forgets what the callee may write through pointers.
func (r *run) havocArgs(s *state, iv *invocation) {
	for _, a := range iv.args {
		if p, ok := a.(ptr); ok {
			if _, isAlloc := p.l.root.(*ssa.Alloc); isAlloc {
				s.havoc(p.l)
			}
		}
	}
}

// statusHelper understands check(status): if the argument is known to say
// success and the helper then returns nil (or false), so does this call.
func (r *run) statusHelper(s *state, iv *invocation) {
	if iv.value == nil || iv.callee == nil {
		return
	}
	res := iv.common.Signature().Results()
	if res.Len() != 1 {
		return
	}
	for i, a := range iv.args {
		zero := isZero(a)
		if f, ok := s.factOf(a); ok {
			zero = zero || f.equals == "0" || f.isNil > 0
		}
		if !zero {
			continue
		}
		switch v := r.e.onZero(iv.callee, i); v {
		case zeroNil:
			s.set(iv.value, nilVal{})
		case zeroFalse:
			s.set(iv.value, boolVal(false))
		case zeroTrue:
			s.set(iv.value, boolVal(true))
		default:
			continue
		}
		return
	}
}

// applySummary does what the callee's summary says about each place that holds
// the resource.
func (r *run) applySummary(s *state, iv *invocation, held []int) ([]*state, bool) {
	for _, i := range held {
		for _, path := range r.heldPaths(s, iv.args[i]) {
			eff := r.e.effect(iv, i, path)
			if cond := eff.Cond; cond >= 0 && cond < len(iv.args) {
				if b, known := r.condArg(s, iv, cond); known {
					if b {
						eff = eff.when(eff.True)
					} else {
						eff = eff.when(eff.False)
					}
				}
			}
			out, forked := r.applyEffectOf(s, iv, eff)
			if forked {
				return out, true
			}
		}
	}
	return nil, false
}

// heldPaths are the paths below an argument at which the resource lies.
func (r *run) heldPaths(s *state, a val) []string {
	switch a := a.(type) {
	case own, done:
		return []string{""}
	case ptr, sym:
		l, _ := pointee(a)
		return s.ownedUnder(l)
	case *agg:
		var paths []string
		for _, k := range sortedKeys(a.m) {
			if _, ok := a.m[k].(own); ok {
				paths = append(paths, k)
			}
		}
		return paths
	}
	return nil
}

func (r *run) applyEffectOf(s *state, iv *invocation, eff effect) ([]*state, bool) {
	switch {
	case eff.OK == 0 && eff.Err == 0:
		return nil, false // nothing happens to it
	case (eff.OK|eff.Err)&bitUnknown != 0:
		s.status = unknown
		return r.settle(s)
	}
	if eff.OK == eff.Err || !fails(iv.common.Signature()) {
		return r.applyBits(s, iv, eff, eff.OK|eff.Err)
	}
	// Different when the callee fails: two paths.
	t := s.clone()
	r.mark(s, iv, true)
	r.mark(t, iv, false)
	var out []*state
	for _, x := range []struct {
		s    *state
		bits uint8
	}{{s, eff.OK}, {t, eff.Err}} {
		if x.bits == 0 {
			continue // the callee never ends this way
		}
		if res, forked := r.applyBits(x.s, iv, eff, x.bits); forked {
			out = append(out, res...)
		} else {
			out = append(out, x.s)
		}
	}
	return out, true
}

// fails reports whether a signature can say that the call failed.
func fails(sig *types.Signature) bool {
	n := sig.Results().Len()
	if n == 0 {
		return false
	}
	last := sig.Results().At(n - 1).Type()
	return isError(last) || isStatus(last) && statusName(last) || n > 1 && isBool(last)
}

func (r *run) applyBits(s *state, iv *invocation, eff effect, bits uint8) ([]*state, bool) {
	switch {
	case bits&bitLive == 0 && bits&(bitReleased|bitMoved) != 0 && bits&(bitStored|bitReturned) == 0:
		s.status = released
		if bits&bitMoved != 0 {
			s.status = moved // a graph that its nodes refer to is not gone
		}
		return r.settle(s)
	case bits == bitReturned:
		if iv.value == nil {
			return nil, false
		}
		r.returned(s, iv, eff)
		return nil, false
	case bits&bitStored != 0 && bits&^(bitStored|bitReleased) == 0:
		return r.stored(s, iv, eff)
	case bits == bitLive:
		return nil, false
	}
	// Sometimes one, sometimes the other, and the summary cannot say when.
	s.status = unknown
	return r.settle(s)
}

// returned makes the call's result an alias.
func (r *run) returned(s *state, iv *invocation, eff effect) {
	var v val = own{}
	if eff.RetPath != "" {
		l := loc{root: iv.value}
		s.mem.set(l.field(eff.RetPath), own{})
		v = ptr{l}
		n := iv.common.Signature().Results()
		if eff.Ret < n.Len() {
			if _, ok := n.At(eff.Ret).Type().Underlying().(*types.Struct); ok {
				s.mem.del(l.field(eff.RetPath))
				v = &agg{map[string]val{eff.RetPath: own{}}}
			}
		}
	}
	r.setResult(s, iv, eff.Ret, v)
}

// stored moves the resource into another argument, or away.
func (r *run) stored(s *state, iv *invocation, eff effect) ([]*state, bool) {
	if eff.Into >= 0 && eff.Into < len(iv.args) {
		if p, ok := iv.args[eff.Into].(ptr); ok && isLocal(p.l.root) {
			l := s.below(p.l, eff.IntoPath)
			if !l.deep() {
				s.mem.set(l, own{})
				return nil, false
			}
		}
	}
	s.status = moved
	return r.settle(s)
}
