// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What can become of a resource that is handed to a function, as bits: several
// may hold on different paths.
const (
	bitLive     uint8 = 1 << iota // nothing: the caller still owns it
	bitReleased                   // released
	bitMoved                      // owned by somebody else: a goroutine, a global, a library
	bitStored                     // put into another argument
	bitReturned                   // is, or is inside, a result
	bitUnknown                    // cannot be told
)

// effect is what a function does with the resource at one path of one
// argument. The zero bits mean nothing at all, as does OK == Err == bitLive.
type effect struct {
	OK, Err  uint8 // at returns that say success, and failure
	Ret      int   // bitReturned: the result, and where in it
	RetPath  string
	Into     int // bitStored: the argument (-1: somewhere else) and the path below it
	IntoPath string
	Cond     int // the bool or error argument that decides, or -1: see condArg
	True     uint8
	False    uint8
}

func (e effect) when(bits uint8) effect {
	e.OK, e.Err, e.Cond = bits, bits, -1
	return e
}

// plain reports whether e changes nothing for the caller.
func (e effect) plain() bool { return (e.OK|e.Err)&^bitLive == 0 }

type effectKey struct {
	fn   *ssa.Function
	arg  int
	path string
	cond int // bool argument assumed, +1; negative: assumed false
}

// effect returns what a call does with the resource at path below argument i.
func (e *engine) effect(iv *invocation, i int, path string) effect {
	if fn := iv.callee; fn != nil && e.local(fn) {
		return e.localEffect(fn, i, path)
	}
	if f := e.fact(iv.obj); f != nil {
		return f.effect(i, path)
	}
	return effect{Cond: -1}
}

// local reports whether fn's body is at hand.
func (e *engine) local(fn *ssa.Function) bool {
	return len(fn.Blocks) > 0 && fn.Pkg == e.pkg && !isCgoMade(fn.Name())
}

// isCgoMade reports whether cgo generated a function: its body is magic.
func isCgoMade(name string) bool {
	return strings.HasPrefix(name, "_C") || strings.HasPrefix(name, "_cgo")
}

// hasSummary reports whether everything that the callee does is known.
func (e *engine) hasSummary(iv *invocation) bool {
	if iv.callee != nil && iv.obj != nil && e.local(iv.callee) {
		return true
	}
	if iv.obj == nil || iv.obj.Pkg() == nil || iv.common.IsInvoke() {
		return false
	}
	return e.fact(iv.obj) != nil || e.analyzed(iv.obj.Pkg())
}

func (e *engine) localEffect(fn *ssa.Function, i int, path string) effect {
	key := effectKey{fn: fn, arg: i, path: path}
	if eff, ok := e.effects[key]; ok {
		return eff // also the answer to recursion: nothing, until known better
	}
	e.effects[key] = effect{Cond: -1}
	if !e.mayEffect(fn, i, path) {
		return e.effects[key]
	}
	eff := e.runEffect(fn, i, path, 0)
	if (mixed(eff.OK) || mixed(eff.Err) || eff.OK != eff.Err) && (eff.OK|eff.Err)&bitUnknown == 0 {
		unclear := mixed(eff.OK) || mixed(eff.Err)
		for j, p := range fn.Params {
			if !isError(p.Type()) && (!unclear || !isBool(p.Type()) && !isBoolSlice(p.Type())) {
				continue
			}
			t, f := e.runEffect(fn, i, path, j+1), e.runEffect(fn, i, path, -(j+1))
			if !mixed(t.OK|t.Err) && !mixed(f.OK|f.Err) {
				eff.Cond, eff.True, eff.False = j, t.OK|t.Err, f.OK|f.Err
				break
			}
		}
	}
	e.effects[key] = eff
	return eff
}

func isBoolSlice(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && isBool(s.Elem())
}

// mixed reports whether a set of outcomes says neither that the caller still
// owns nor that it does not.
func mixed(bits uint8) bool {
	return bits&bitLive != 0 && bits&^bitLive != 0
}

// runEffect follows the resource at path below parameter i through fn.
func (e *engine) runEffect(fn *ssa.Function, i int, path string, cond int) effect {
	eff := effect{Into: -1, Cond: -1}
	if i >= len(fn.Params) {
		return eff
	}
	r := e.newRun(fn, nil)
	s := newState()
	s.status = live
	p := fn.Params[i]
	start := loc{root: sym{v: p}, path: path}
	switch {
	case path == "":
		s.env.set(p, own{})
	case isStructVal(p.Type()):
		s.env.set(p, &agg{map[string]val{path: own{}}})
	default:
		s.mem.set(start, own{})
	}
	if cond > 0 {
		r.assume(s, fn.Params[cond-1], true)
	} else if cond < 0 {
		r.assume(s, fn.Params[-cond-1], false)
	}
	for _, ret := range r.exec(fn, s, 0) {
		bits := uint8(bitLive)
		switch ret.s.status {
		case released:
			bits = bitReleased
		case moved:
			bits = bitMoved
		case unknown:
			bits = bitUnknown
		case live:
			bits = e.whereabouts(r, ret, start, &eff)
		}
		ok, err := exitClass(ret)
		if ok {
			eff.OK |= bits
		}
		if err {
			eff.Err |= bits
		}
	}
	if r.degraded {
		eff.OK |= bitUnknown
		eff.Err |= bitUnknown
	}
	return eff
}

// assume sets an argument that decides: a bool, or an error, for which true
// means nil.
//
//	func closed(p *pair, err error) error { if err == nil { p.Close() }; return err }
func (r *run) assume(s *state, p *ssa.Parameter, b bool) {
	if isError(p.Type()) {
		if b {
			s.env.set(p, nilVal{})
		} else {
			s.facts.set(sym{v: p}, fact{isNil: -1})
		}
		return
	}
	if isBool(p.Type()) {
		s.env.set(p, boolVal(b))
		return
	}
	l := loc{root: sym{v: p}}
	s.env.set(p, ptr{l})
	s.mem.set(l.field("[0]"), boolVal(b))
	s.mem.set(l.field("[]"), boolVal(b))
}

func isStructVal(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// whereabouts tells where a resource that is still alive has gone.
func (e *engine) whereabouts(r *run, ret ret, start loc, eff *effect) uint8 {
	s := ret.s
	for i, v := range ret.vals {
		if !s.reach(v) {
			continue
		}
		path, ok := pathIn(s, v, start)
		if !ok {
			if c, isClo := v.(*clo); isClo && c != nil {
				return bitUnknown // a closure over it
			}
			continue // the argument itself, by another way
		}
		eff.Ret, eff.RetPath = i, path
		return bitReturned
	}
	into, path, found := r.storedAt(s, start)
	if !found {
		return bitLive
	}
	if into < 0 {
		return bitMoved
	}
	eff.Into, eff.IntoPath = into, path
	return bitStored
}

// pathIn finds the resource inside a result. It reports false when the result
// is a pointer to where the resource was from the beginning.
func pathIn(s *state, v val, start loc) (string, bool) {
	switch v := v.(type) {
	case own:
		return "", !v.sub
	case *agg:
		for _, k := range sortedKeys(v.m) {
			if _, ok := v.m[k].(own); ok {
				return k, true
			}
		}
	case ptr, sym:
		l, _ := pointee(v)
		if l.root == start.root {
			return "", false
		}
		if paths := s.ownedUnder(l); len(paths) > 0 {
			return paths[0], true
		}
	}
	return "", false
}

// storedAt finds the resource in memory that outlives the activation: below
// another argument (its index and the path), or elsewhere (-1).
func (r *run) storedAt(s *state, start loc) (into int, path string, found bool) {
	into = -1
	bestKey := ""
	for m, v := range s.mem.all() {
		if isLocal(m.root) || m == start || !s.reach(v) {
			continue
		}
		if _, ok := start.under(m); ok && start.path != "" {
			continue // where it was
		}
		i := -1
		sub := m.path
		if root, ok := m.root.(sym); ok {
			if p, ok := root.v.(*ssa.Parameter); ok {
				for j, q := range r.root.Params {
					if p == q {
						i = j
					}
				}
			}
		}
		if p, ok := v.(ptr); ok {
			if more := s.ownedUnder(p.l); len(more) > 0 {
				sub += more[0]
			}
		}
		key := itoa(int64(i)) + sub
		if !found || key > bestKey {
			into, path, bestKey = i, sub, key
		}
		found = true
	}
	return into, path, found
}

// exitClass tells whether a return says success, failure, or could be both.
func exitClass(ret ret) (ok, err bool) {
	sig := ret.in.Parent().Signature
	n := sig.Results().Len()
	if n == 0 || len(ret.vals) != n {
		return true, true
	}
	last := sig.Results().At(n - 1).Type()
	v := ret.vals[n-1]
	switch {
	case isError(last):
		if isNilLike(v) {
			return true, false
		}
		if nonNil(ret.s, v, ret.in.Results[n-1]) {
			return false, true
		}
		if x, isSym := v.(sym); isSym {
			if ret.s.facts.at(x).isNil > 0 {
				return true, false
			}
		}
		if n > 1 && allZero(ret.vals[:n-1]) {
			return false, true // return nil, wrap(err)
		}
	case isStatus(last) && statusName(last):
		if v == intVal("0") {
			return true, false
		}
		if _, isInt := v.(intVal); isInt {
			return false, true
		}
		if f, known := ret.s.factOf(v); known {
			if f.equals == "0" {
				return true, false
			}
			if f.differ == "0" || f.equals != "" {
				return false, true
			}
		}
	case n > 1 && isBool(last):
		if b, known := v.(boolVal); known {
			return bool(b), !bool(b)
		}
	case isNilLike(v) && isHandleType(last):
		return false, true // nil instead of the handle
	}
	return true, true
}

func nonNil(s *state, v val, at ssa.Value) bool {
	if nonNilValue(at) {
		return true
	}
	switch v := v.(type) {
	case sym:
		return s.facts.at(v).isNil < 0 || v.i == 0 && v.v != nil && nonNilValue(v.v) || sentinel(v)
	case ptr:
		return isLocal(v.l.root)
	}
	return false
}

func allZero(vals []val) bool {
	for _, v := range vals {
		if !isZero(v) {
			return false
		}
	}
	return true
}

func isHandleType(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr
	}
	return false
}

// zeroResult is what a one-result helper returns for a zero argument.
type zeroResult int8

const (
	zeroOther zeroResult = iota
	zeroNil
	zeroTrue
	zeroFalse
)

// onZero tells what fn returns when argument i says success (0 or nil).
func (e *engine) onZero(fn *ssa.Function, i int) zeroResult {
	if !e.local(fn) {
		obj, _ := fn.Object().(*types.Func)
		if f := e.fact(obj); f != nil && i < len(f.OnZero) {
			return zeroResult(f.OnZero[i])
		}
		return zeroOther
	}
	key := effectKey{fn: fn, arg: i, path: "?"}
	if z, ok := e.zeros[key]; ok {
		return z
	}
	e.zeros[key] = zeroOther
	if i >= len(fn.Params) || fn.Signature.Results().Len() != 1 {
		return zeroOther
	}
	r := e.newRun(fn, nil)
	s := newState()
	s.env.set(fn.Params[i], zeroVal(fn.Params[i].Type()))
	z := r.onlyResult(fn, s)
	e.zeros[key] = z
	return z
}
