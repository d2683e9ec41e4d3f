// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

func (r *run) builtin(fr *frame, s *state, in *ssa.Call, b *ssa.Builtin) ([]*state, bool) {
	args := in.Call.Args
	switch b.Name() {
	case "append":
		if r.after && len(args) > 1 && r.reads(s, in, args[1]) {
			return nil, true
		}
		r.append(s, in)
	case "copy":
		if r.after && (r.reads(s, in, args[1]) || r.reads(s, in, args[0])) {
			return nil, true
		}
		r.copyElems(s, args[0], args[1])
	case "len", "cap":
		if s.status == live && s.holds(r.eval(s, args[0])) {
			s.set(in, posInt{})
		}
	case "clear":
		r.clear(s, in)
	case "min", "max":
	case "ssa:wrapnilchk":
		s.set(in, r.eval(s, args[0]))
	case "Data", "SliceData", "Slice", "Add", "String", "StringData": // package unsafe
		x := r.eval(s, args[0])
		if _, leans := x.(view); leans || s.reach(x) {
			s.set(in, x)
		}
	}
	return nil, false
}

// append yields a new container with the elements of both; the old backing
// array does not matter to what is owned.
func (r *run) append(s *state, in *ssa.Call) {
	args := in.Call.Args
	base := r.eval(s, args[0])
	var elem val
	if len(args) > 1 {
		elem = r.element(s, r.eval(s, args[1]))
	}
	if elem == nil {
		s.set(in, base)
		if _, ok := base.(ptr); !ok {
			if _, ok := base.(sym); !ok {
				s.env.del(in)
			}
		}
		return
	}
	if l, ok := pointee(base); ok {
		// The same container with one more element.
		if _, isParam := l.root.(sym); isParam || isLocal(l.root) {
			s.set(in, base)
			s.mem.set(l.field("[]"), elem)
			return
		}
	}
	l := loc{root: in}
	s.mem.set(l.field("[]"), elem)
	s.set(in, ptr{l})
}

// clear empties a container: what lay in it is lost unless something else leads
// to it.
func (r *run) clear(s *state, in *ssa.Call) {
	l, ok := r.pointee(s, in.Call.Args[0])
	if !ok {
		return
	}
	if s.status == live && s.reachLoc(l, map[loc]bool{}) && !s.elsewhere(l) {
		s.over, s.overName = in.Pos(), placeName(l)
	}
	s.mem.keep(func(m loc, _ val) bool {
		rest, ok := l.under(m)
		return !ok || !strings.HasPrefix(rest, "[")
	})
}

// element is the element of a container that leads to the resource, or nil.
func (r *run) element(s *state, v val) val {
	l, ok := pointee(v)
	if !ok {
		return nil
	}
	if x := r.load(s, l.field("[]"), nil, nil); s.reach(x) {
		return x
	}
	return nil
}

func (r *run) copyElems(s *state, dst, src ssa.Value) {
	if elem := r.element(s, r.eval(s, src)); elem != nil {
		if l, ok := r.pointee(s, dst); ok {
			s.mem.set(l.field("[]"), elem)
		}
	}
}

// send moves the resource into a channel. A channel made here belongs to
// whoever receives from it here; any other has an owner elsewhere.
func (r *run) send(fr *frame, s *state, ch, x ssa.Value, pos token.Pos) ([]*state, bool) {
	v := r.eval(s, x)
	if s.status != live || !s.reach(v) {
		return nil, false
	}
	l, ok := r.pointee(s, ch)
	if !ok || !isLocal(l.root) {
		s.status = moved
		return r.settle(s)
	}
	made, ok := l.root.(*ssa.MakeChan)
	if !ok {
		s.status = moved
		return r.settle(s)
	}
	switch r.e.receivers(made) {
	case chanReleases, chanEscapes:
		s.status = moved
		return r.settle(s)
	}
	s.note(pos, "sent on a channel")
	s.mem.set(l.field("[]"), v)
	return nil, false
}

func (r *run) sel(fr *frame, s *state, in *ssa.Select) ([]*state, bool) {
	for i, st := range in.States {
		if st.Send != nil && s.status == live && s.reach(r.eval(s, st.Send)) {
			// Sent on one case, kept on the others.
			t := s.clone()
			s.facts.set(sym{v: in, i: 1}, fact{equals: itoa(int64(i))})
			t.facts.set(sym{v: in, i: 1}, fact{differ: itoa(int64(i))})
			out := []*state{t}
			if res, forked := r.send(fr, s, st.Chan, st.Send, in.Pos()); forked {
				out = append(out, res...)
			} else {
				out = append(out, s)
			}
			return out, true
		}
	}
	return nil, false
}

// What the other ends of a local channel do with what they receive.
type chanFate uint8

const (
	chanUnseen   chanFate = iota
	chanReleases          // some receiver releases its element
	chanEscapes           // the channel is handed to code that cannot be seen
)

// receivers looks at every use of a channel made in this package's function.
func (e *engine) receivers(ch *ssa.MakeChan) chanFate {
	if f, ok := e.chans[ch]; ok {
		return f
	}
	e.chans[ch] = chanEscapes // recursion: silent
	fate := chanUnseen
	seen := map[ssa.Value]bool{}
	var follow func(v ssa.Value, cell bool)
	follow = func(v ssa.Value, cell bool) {
		if seen[v] || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, ref := range *v.Referrers() {
			switch ref := ref.(type) {
			case *ssa.Store:
				if ref.Val == v {
					if _, ok := ref.Addr.(*ssa.Alloc); ok {
						follow(ref.Addr, true)
					} else {
						fate = chanEscapes
					}
				}
			case *ssa.UnOp:
				if ref.Op == token.MUL && cell {
					follow(ref, false)
				} else if ref.Op == token.ARROW && ref.Parent() != ch.Parent() && e.receivedReleased(ref) {
					fate = max(fate, chanReleases)
				}
			case *ssa.MakeClosure:
				fn := ref.Fn.(*ssa.Function)
				for i, b := range ref.Bindings {
					if b == v {
						follow(fn.FreeVars[i], cell)
					}
				}
			case *ssa.Phi, *ssa.ChangeType:
				follow(ref.(ssa.Value), cell)
			case *ssa.Return:
				fate = chanEscapes
			case ssa.CallInstruction:
				if b, ok := ref.Common().Value.(*ssa.Builtin); ok && b != nil {
					continue
				}
				fn := ref.Common().StaticCallee()
				if fn == nil || !e.local(fn) || cell {
					fate = chanEscapes
					continue
				}
				for i, a := range ref.Common().Args {
					if a == v && i < len(fn.Params) {
						follow(fn.Params[i], false)
					}
				}
			case *ssa.MakeInterface, *ssa.MapUpdate, *ssa.FieldAddr:
				fate = chanEscapes
			case *ssa.Select:
				for _, st := range ref.States {
					if st.Chan == v && st.Send == nil && ref.Parent() != ch.Parent() {
						fate = chanEscapes
					}
				}
			}
			if fate == chanEscapes {
				return
			}
		}
	}
	follow(ch, false)
	e.chans[ch] = fate
	return fate
}

// receivedReleased follows a received element through the receiving function.
func (e *engine) receivedReleased(recv *ssa.UnOp) bool {
	fn := recv.Parent()
	r := e.newRun(fn, nil)
	r.received = recv
	s := newState()
	r.exec(fn, s, 0)
	return r.sawEnd
}
