// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// copyVerdicts reports copies of a struct that owns, where both the copy and
// the original are released on one path.
//
//	other := img
//	other.Close()
//	img.Close() // the same native object
//
// Handing a handle over by value is how such libraries work, so a copy alone
// says nothing: two releases do.
func (e *engine) copyVerdicts() []Verdict {
	var list []Verdict
	seen := map[token.Pos]bool{}
	for _, fn := range e.funcs {
		for _, b := range fn.Blocks {
			for i, in := range b.Instrs {
				v, ok := Verdict{}, false
				switch in := in.(type) {
				case *ssa.Store:
					if v, ok = e.finalCopied(fn, in); !ok {
						v, ok = e.copyReleased(fn, b, i, in)
					}
				case *ssa.Call:
					v, ok = e.argReleased(fn, b, i, in)
				}
				if ok && !seen[v.Pos] {
					seen[v.Pos] = true
					list = append(list, v)
				}
			}
		}
	}
	return list
}

// onePerCopy keeps the better explanation where a release of a copy is the
// second one of its handle, too: that there is a copy.
func onePerCopy(list []Verdict) []Verdict {
	copied := map[token.Pos]bool{}
	for _, v := range list {
		if v.Kind == OwnerCopied {
			copied[v.Pos] = true
		}
	}
	kept := list[:0]
	for _, v := range list {
		if v.Kind == ReleasedTwice && copied[v.Pos] {
			continue // GM403 says it
		}
		kept = append(kept, v)
	}
	return kept
}

// place identifies a variable, field or element within one function, by the
// address that it is reached through.
type place string

// placeOf names the place behind an address. Two loads of one variable count
// as the same pointer: a store in between ends the comparison, see copyWalk.
func placeOf(v ssa.Value) place {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return placeOf(v.X) + place("."+fieldName(v.X.Type(), v.Field))
	case *ssa.IndexAddr:
		return placeOf(v.X) + "[]"
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return "*" + placeOf(v.X)
		}
	case *ssa.Slice:
		if v.Low == nil && v.High == nil {
			return placeOf(v.X)
		}
		// A part, which may be the other elements.
	case *ssa.Global:
		return place("global " + v.Name())
	case *ssa.Parameter:
		return place("parameter " + v.Name())
	case *ssa.FreeVar:
		return place("captured " + v.Name())
	}
	return place(v.Name()) // a register: one of its function's
}

// copyPaths lists where below a struct the handles lie that a copy shares: ""
// for a handle that is a struct itself. Pointers to objects that look after
// themselves are shared without harm.
func (e *engine) copyPaths(t types.Type) []string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil
	}
	named = named.Origin()
	if got, ok := e.copies[named]; ok {
		return got
	}
	if e.copies == nil {
		e.copies = map[*types.Named][]string{}
	}
	e.copies[named] = nil
	if m := e.models.Type(named.Obj()); m != nil {
		if m.ByValue && m.Class != nil && !m.Class.Optional {
			e.copies[named] = []string{""}
		}
		return e.copies[named]
	}
	if _, isStruct := named.Underlying().(*types.Struct); !isStruct {
		return nil
	}
	for _, o := range e.owners() {
		if o.named != named {
			continue
		}
		for _, path := range o.paths {
			for _, d := range o.ends {
				if d.releases(path) && e.sharedBadly(d, path) {
					e.copies[named] = append(e.copies[named], path)
					break
				}
			}
		}
	}
	return e.copies[named]
}

// sharedBadly reports whether what two copies release by their method is freed
// twice.
func (e *engine) sharedBadly(d *destructor, path string) bool {
	if t := fieldType(d.owner.named, path[1:]); t != nil {
		if n, ok := types.Unalias(t).(*types.Named); ok {
			if m := e.models.Type(n.Obj()); m != nil && m.ByValue {
				return true // a struct handle in a struct
			}
		}
	}
	c := e.followClose(d, path)
	for _, r := range c.rets {
		if r.s.status != released || len(r.s.trace) == 0 {
			continue
		}
		if e.secondDoes(c.calls[r.s.trace[len(r.s.trace)-1].pos]) != rules.AgainOK {
			return true
		}
	}
	return false
}

// copyReleased judges a store of one place's struct into another.
func (e *engine) copyReleased(fn *ssa.Function, b *ssa.BasicBlock, i int, st *ssa.Store) (Verdict, bool) {
	load, ok := st.Val.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return Verdict{}, false // a new value
	}
	if len(e.copyPaths(load.Type())) == 0 {
		return Verdict{}, false // owns nothing that a copy would share
	}
	from, to := placeOf(load.X), placeOf(st.Addr)
	if from == to || !steadyBetween(load, st, from) {
		return Verdict{}, false // a swap: another value is there by now
	}
	w := &copyWalk{e: e, fn: fn, typ: load.Type(), names: map[place]string{from: e.placeName(load.X), to: e.placeName(st.Addr)}}
	return w.run(b, i, copyState{members: []place{from, to}})
}

// argReleased judges a struct that is handed over by value to a function that
// releases its copy.
func (e *engine) argReleased(fn *ssa.Function, b *ssa.BasicBlock, i int, call *ssa.Call) (Verdict, bool) {
	callee := call.Call.StaticCallee()
	if callee == nil || callee.Signature.Recv() != nil && len(call.Call.Args) == 1 {
		return Verdict{}, false // its own release method
	}
	for k, arg := range call.Call.Args {
		load, ok := arg.(*ssa.UnOp)
		if !ok || load.Op != token.MUL || len(e.copyPaths(load.Type())) == 0 || !e.releasesPlace(&call.Call, k, load.Type()) {
			continue
		}
		if m := e.callModel(&call.Call); m != nil {
			continue // a library that releases its argument: GM302 knows
		}
		from := placeOf(load.X)
		arg := place(fmt.Sprintf("argument %d of %s", k, call.Name()))
		w := &copyWalk{e: e, fn: fn, typ: load.Type(), names: map[place]string{from: e.placeName(load.X), arg: "the argument of " + e.calleeName(&call.Call)}}
		return w.run(b, i, copyState{members: []place{from, arg}, released: arg})
	}
	return Verdict{}, false
}

// placeName is how messages call the place behind an address.
func (e *engine) placeName(addr ssa.Value) string {
	switch v := addr.(type) {
	case *ssa.IndexAddr:
		return e.placeName(v.X) + "[i]"
	case *ssa.FieldAddr:
		return e.placeName(v.X) + "." + fieldName(v.X.Type(), v.Field)
	}
	if n := e.nameOf(addr); n != "the object" {
		return n
	}
	return "the copy"
}

// steadyBetween reports whether nothing is stored to a place between the load
// and the store of a copy.
func steadyBetween(load *ssa.UnOp, st *ssa.Store, from place) bool {
	if load.Block() != st.Block() {
		return false // cannot be told without following the paths in between
	}
	on := false
	for _, in := range load.Block().Instrs {
		switch {
		case in == ssa.Instruction(load):
			on = true
		case in == ssa.Instruction(st):
			return true
		case on:
			if other, ok := in.(*ssa.Store); ok && placeOf(other.Addr) == from {
				return false
			}
		}
	}
	return true
}

// copyState is one path behind a copy: the places that hold the same handle,
// and the one through which it was released.
type copyState struct {
	members  []place
	released place
	late     []place // releases that are deferred
}

func (s copyState) key() string { return fmt.Sprint(s.members, s.released, s.late) }

func (s copyState) has(p place) bool {
	for _, m := range s.members {
		if m == p {
			return true
		}
	}
	return false
}

func (s copyState) without(p place) copyState {
	var kept []place
	for _, m := range s.members {
		if m != p {
			kept = append(kept, m)
		}
	}
	s.members = kept
	return s
}

// copyWalk follows the paths behind one copy.
type copyWalk struct {
	e     *engine
	fn    *ssa.Function
	typ   types.Type
	names map[place]string
	steps int
	seen  map[string]bool
	found *Verdict
}

func (w *copyWalk) run(b *ssa.BasicBlock, i int, s copyState) (Verdict, bool) {
	w.seen = map[string]bool{}
	// Releases that were deferred before.
	for _, blk := range w.fn.Blocks {
		if !blk.Dominates(b) {
			continue
		}
		for k, in := range blk.Instrs {
			if blk == b && k >= i {
				break
			}
			if d, ok := in.(*ssa.Defer); ok {
				s = w.deferred(s, d)
			}
		}
	}
	w.block(b, i+1, s, map[ssa.Value]bool{}, map[*ssa.BasicBlock]bool{}, nil)
	if w.found == nil {
		return Verdict{}, false
	}
	return *w.found, true
}

func (w *copyWalk) deferred(s copyState, d *ssa.Defer) copyState {
	for _, p := range w.releasedBy(&d.Call, s) {
		s.late = append(append([]place(nil), s.late...), p)
	}
	return s
}

// block follows a path from instruction i of b. Conditions that were met before
// on the path keep their answer; a loop is gone round once, so that its
// iterations, which see other elements, do not mix. Loops that are not entered
// at all are left out: mostly such a path cannot be taken.
func (w *copyWalk) block(b *ssa.BasicBlock, i int, s copyState, conds map[ssa.Value]bool, around map[*ssa.BasicBlock]bool, ints map[ssa.Value]int64) {
	if w.found != nil || w.steps > 3000 {
		return
	}
	for ; i < len(b.Instrs); i++ {
		w.steps++
		var over bool
		if s, over = w.instr(b.Instrs[i], s); over {
			return
		}
	}
	var last ssa.Instruction = b.Instrs[len(b.Instrs)-1]
	cond, isIf := last.(*ssa.If)
	for k, next := range b.Succs {
		c := conds
		if isIf {
			v, want := cond.Cond, k == 0
			if not, ok := v.(*ssa.UnOp); ok && not.Op == token.NOT {
				v, want = not.X, !want
			}
			known, ok := conds[v]
			if !ok {
				known, ok = compare(v, ints)
			}
			if ok {
				if known != want {
					continue
				}
			} else {
				c = map[ssa.Value]bool{v: want}
				for x, t := range conds {
					c[x] = t
				}
			}
		}
		turn := around
		if next.Dominates(b) { // a back edge
			turn = map[*ssa.BasicBlock]bool{next: true}
			for x := range around {
				turn[x] = true
			}
			c = map[ssa.Value]bool{} // the next iteration's are others
		}
		if l := w.e.info(w.fn).loops[b]; l != nil && around[b] == l.contains(next) {
			continue // a second time into the same loop, or past it without a turn
		}
		nextInts := phiInts(b, next, ints)
		key := fmt.Sprint(next.Index, s.key(), len(turn), condKey(c), len(nextInts))
		if w.seen[key] {
			continue
		}
		w.seen[key] = true
		w.block(next, 0, s, c, turn, nextInts)
	}
}

// phiInts are the loop counters that are known where a path enters a block: the
// first turn's.
func phiInts(from, to *ssa.BasicBlock, ints map[ssa.Value]int64) map[ssa.Value]int64 {
	next := ints
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		for k, pred := range to.Preds {
			if pred != from {
				continue
			}
			c, isConst := phi.Edges[k].(*ssa.Const)
			known := isConst && c.Value != nil && c.Value.Kind() == constant.Int
			if _, was := ints[phi]; !known && !was {
				continue
			}
			if len(next) == len(ints) {
				next = cloneMap(ints)
			}
			delete(next, phi)
			if known {
				next[phi] = c.Int64()
			}
		}
	}
	return next
}

// compare decides a comparison of a known counter with a constant.
func compare(cond ssa.Value, ints map[ssa.Value]int64) (truth, ok bool) {
	cmp, isCmp := cond.(*ssa.BinOp)
	if !isCmp {
		return false, false
	}
	x, known := ints[cmp.X]
	c, isConst := cmp.Y.(*ssa.Const)
	if !known || !isConst || c.Value == nil || c.Value.Kind() != constant.Int {
		return false, false
	}
	if !isComparison(cmp.Op) {
		return false, false
	}
	return constant.Compare(constant.MakeInt64(x), cmp.Op, c.Value), true
}

func isComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// condKey is a digest of the answers on a path that does not depend on the
// order of a map.
func condKey(c map[ssa.Value]bool) uint64 {
	var sum uint64
	for v, t := range c {
		h := hashString(v.Name())
		if t {
			h = mix(h, 1)
		}
		sum += h
	}
	return sum
}

// instr follows one instruction; over reports that the path need not go on.
func (w *copyWalk) instr(in ssa.Instruction, s copyState) (_ copyState, over bool) {
	switch in := in.(type) {
	case *ssa.Store:
		return w.store(in, s)
	case *ssa.Defer:
		return w.deferred(s, in), false
	case *ssa.Call:
		for _, p := range w.releasedBy(&in.Call, s) {
			if s = w.release(s, p, w.e.posOf(in)); w.found != nil {
				return s, true
			}
		}
	case *ssa.RunDefers:
		for k := len(s.late) - 1; k >= 0; k-- {
			if s = w.release(s, s.late[k], in.Parent().Pos()); w.found != nil {
				w.found.Pos = w.latePos(s.late[k])
				return s, true
			}
		}
	case *ssa.Panic:
		return s, true
	}
	return s, len(s.members) < 2 && s.released == ""
}

// store ends or widens the set of copies.
func (w *copyWalk) store(st *ssa.Store, s copyState) (copyState, bool) {
	to := placeOf(st.Addr)
	if load, ok := st.Val.(*ssa.UnOp); ok && load.Op == token.MUL && types.Identical(load.Type(), w.typ) && s.has(placeOf(load.X)) && steadyBetween(load, st, placeOf(load.X)) {
		if !s.has(to) {
			s.members = append(append([]place(nil), s.members...), to) // a further copy
			w.names[to] = w.e.placeName(st.Addr)
		}
		return s, false
	}
	var more []place // the whole struct goes on: f := frame{mat: m}
	if load, ok := st.Val.(*ssa.UnOp); ok && load.Op == token.MUL {
		for _, m := range s.members {
			if rest, ok := strings.CutPrefix(string(m), string(placeOf(load.X))+"."); ok {
				more = append(more, to+place("."+rest))
				w.names[to+place("."+rest)] = w.e.placeName(st.Addr) + "." + rest
			}
		}
	}
	for _, m := range s.members {
		// Another value, or another object at the end of the pointer.
		if m == to || len(m) > len(to) && (m[:len(to)] == to && (m[len(to)] == '.' || m[len(to)] == '[') || m == "*"+to || len(m) > len(to)+1 && m[:len(to)+1] == "*"+to) {
			s = s.without(m)
		}
		// m.p = nil: cleared by hand.
		if len(to) > len(m) && to[:len(m)] == m && to[len(m)] == '.' && zeroConst(st.Val) {
			s = s.without(m)
		}
	}
	if len(more) > 0 {
		s.members = append(append([]place(nil), s.members...), more...)
	}
	return s, len(s.members) == 0
}

// release notes a release of what a place holds. The second one, through
// another place, is the finding.
func (w *copyWalk) release(s copyState, p place, pos token.Pos) copyState {
	if !s.has(p) {
		return s // another value by now
	}
	if s.released == "" || s.released == p {
		s.released = p
		return s
	}
	class := Class{Name: "copy", Noun: typeBase(w.typ), Verb: "released"}
	if n := namedOf(w.typ); n != nil {
		if m := w.e.models.Type(n.Obj()); m != nil && m.Class != nil {
			class = classOf(m.Class, m.Releases)
		}
	}
	w.found = &Verdict{
		Kind: OwnerCopied, Tier: report.Likely, Pos: pos, Class: class, Function: funcName(w.fn), Acquired: pos,
		Name: w.names[s.released], Failed: w.names[p],
	}
	return s
}

// latePos is the position of the deferred release of a place.
func (w *copyWalk) latePos(p place) token.Pos {
	for _, b := range w.fn.Blocks {
		for _, in := range b.Instrs {
			if d, ok := in.(*ssa.Defer); ok {
				for _, q := range w.releasedBy(&d.Call, copyState{members: []place{p}}) {
					if q == p {
						return d.Pos()
					}
				}
			}
		}
	}
	return w.fn.Pos()
}

// releasedBy lists the members that a call releases.
func (w *copyWalk) releasedBy(c *ssa.CallCommon, s copyState) []place {
	var list []place
	for i, arg := range c.Args {
		p := placeOf(arg)
		if load, ok := arg.(*ssa.UnOp); ok && load.Op == token.MUL && types.Identical(load.Type(), w.typ) {
			p = placeOf(load.X) // by value: the callee's copy, or a value receiver
		}
		if s.has(p) && w.e.releasesPlace(c, i, w.typ) {
			list = append(list, p)
			continue
		}
		for _, m := range s.members {
			if rest, ok := strings.CutPrefix(string(m), string(p)+"."); ok && w.e.releasesField(c, i, "."+rest, w.typ) {
				list = append(list, m) // f.Close() closes f.mat
			}
		}
	}
	if mc, ok := c.Value.(*ssa.MakeClosure); ok && len(c.Args) == 0 {
		list = append(list, w.literal(mc, s)...)
	}
	return list
}

// literal lists the members that a literal surely releases: in its first block.
func (w *copyWalk) literal(mc *ssa.MakeClosure, s copyState) []place {
	fn := mc.Fn.(*ssa.Function)
	var list []place
	for _, in := range fn.Blocks[0].Instrs {
		call, ok := in.(*ssa.Call)
		if !ok {
			continue
		}
		for i, arg := range call.Call.Args {
			fv, ok := arg.(*ssa.FreeVar)
			if !ok {
				continue
			}
			for k, x := range fn.FreeVars {
				if x == fv && s.has(placeOf(mc.Bindings[k])) && w.e.releasesPlace(&call.Call, i, w.typ) {
					list = append(list, placeOf(mc.Bindings[k]))
				}
			}
		}
	}
	return list
}

// releasesField reports whether a call surely releases the struct of type t in a
// field of the object that is argument i.
func (e *engine) releasesField(c *ssa.CallCommon, i int, path string, t types.Type) bool {
	fn := c.StaticCallee()
	if fn == nil || !e.local(fn) || fn.Object() == nil {
		return false
	}
	for _, sub := range e.copyPaths(t) {
		eff := e.localEffect(fn, i, path+sub)
		if bits := eff.OK | eff.Err; bits == bitReleased {
			return true
		}
	}
	return false
}

// releasesPlace reports whether a call surely releases the struct of type t
// that is, or is pointed at by, argument i.
func (e *engine) releasesPlace(c *ssa.CallCommon, i int, t types.Type) bool {
	if m := e.callModel(c); m != nil {
		for _, eff := range m.Effects {
			if eff.Op != rules.OpRelease || eff.Partial || eff.Advisory || len(eff.Place.Path) > 0 || eff.When.Kind != rules.CondDefault {
				continue
			}
			iv := &invocation{common: c, method: !c.IsInvoke() && c.Signature().Recv() != nil, args: make([]val, len(c.Args))}
			if _, k, ok := iv.arg(eff.Place); ok && k == i {
				return true
			}
		}
		return false
	}
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	obj, _ := fn.Object().(*types.Func)
	if obj == nil {
		return false
	}
	iv := &invocation{common: c, callee: fn, obj: obj, method: fn.Signature.Recv() != nil}
	if !e.hasSummary(iv) {
		return false
	}
	for _, path := range e.copyPaths(t) {
		eff := e.effect(iv, i, path)
		bits := eff.OK | eff.Err
		if bits&bitReleased != 0 && bits&^(bitReleased|bitLive) == 0 && (eff.OK|bitLive) != bitLive && !mixed(eff.OK) {
			return true
		}
	}
	return false
}

// finalCopied reports an object that is copied out of one whose finalizer stays
// armed: when the collector takes that one, the copy's handle is gone.
//
//	newI := newImage(w, h) // sets a finalizer
//	*i = *newI
func (e *engine) finalCopied(fn *ssa.Function, st *ssa.Store) (Verdict, bool) {
	load, ok := st.Val.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || !isStructVal(load.Type()) || !isPointer(load.X.Type()) {
		return Verdict{}, false
	}
	named := namedOf(load.Type())
	if named == nil || named.Obj().Pkg() != e.pass.Pkg {
		return Verdict{}, false
	}
	obj := load.X
	if v, ok := obj.(*ssa.UnOp); ok && v.Op == token.MUL {
		if cell, ok := v.X.(*ssa.Alloc); ok && onlyStore(cell) != nil {
			obj = onlyStore(cell) // a variable that a literal of cgo's has captured
		}
	}
	from := obj
	if x, ok := from.(*ssa.Extract); ok {
		from = x.Tuple
	}
	call, ok := from.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil || !e.setsFinalOn(call.Call.StaticCallee(), named) {
		return Verdict{}, false // no constructor that sets one
	}
	if cell, ok := st.Addr.(*ssa.Alloc); ok && !cell.Heap {
		return Verdict{}, false // a look at it
	}
	if e.disarmsObject(obj) || livesOn(obj) {
		return Verdict{}, false // taken off, or the original lives on and owns
	}
	return Verdict{
		Kind: OwnerCopied, Tier: report.Likely, Pos: st.Pos(), Class: Class{Name: "copy", Noun: named.Obj().Name(), Verb: "released"},
		Function: funcName(fn), Acquired: st.Pos(), Name: e.nameOf(obj), Nil: true,
	}, true
}

// disarmsObject reports whether an object's finalizer is taken off here, or by
// a function that is given the object.
func (e *engine) disarmsObject(v ssa.Value) bool {
	for _, x := range aliases(v) {
		for _, ref := range *x.Referrers() {
			call, ok := ref.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if runtimeFunc(call.Common()) == "SetFinalizer" {
				c, isConst := call.Common().Args[1].(*ssa.Const)
				if isConst && c.Value == nil {
					return true
				}
			}
			if callee := call.Common().StaticCallee(); callee != nil && e.local(callee) && e.disarms(callee, 1) {
				return true
			}
		}
	}
	return false
}

// setsFinalOn reports whether a function sets a finalizer on objects of a type.
func (e *engine) setsFinalOn(fn *ssa.Function, named *types.Named) bool {
	for _, f := range e.finals() {
		if f.fn != nil && top(f.in) == fn && isType(f.obj.Type(), named) {
			return true
		}
	}
	return false
}

// ownerVar reports whether a variable holds, by value, the struct that is the
// resource.
func (s *state) ownerVar(l loc, ptr types.Type) bool {
	if s.status != live || !isLocal(l.root) || !isStructVal(elem(ptr)) {
		return false
	}
	o, ok := s.mem[l].(own)
	return ok && !o.sub
}

// livesOn reports whether a new object is returned, stored or captured: it is
// still somebody's.
func livesOn(v ssa.Value) bool {
	vals := aliases(v)
	same := map[ssa.Value]bool{}
	for _, x := range vals {
		same[x] = true
	}
	for _, x := range vals {
		for _, ref := range *x.Referrers() {
			switch ref := ref.(type) {
			case *ssa.Return, *ssa.MapUpdate:
				return true
			case *ssa.MakeClosure:
				if !isCgoWrapper(ref.Fn.(*ssa.Function)) {
					return true
				}
			case *ssa.Store:
				if ref.Val == x && !same[ref.Addr] {
					return true
				}
			}
		}
	}
	return false
}
