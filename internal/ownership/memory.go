// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// below is the location at path below l, going through the pointers that are
// stored on the way: what lies below rows.stmt belongs to the statement.
func (s *state) below(l loc, path string) loc {
	for path != "" {
		end := strings.IndexAny(path[1:], ".[") + 1
		if end == 0 {
			end = len(path)
		}
		l, path = l.field(path[:end]), path[end:]
		if path == "" {
			break
		}
		if v, ok := s.mem.get(l); ok {
			if p, ok := pointee(v); ok {
				l = p
			}
		}
	}
	return l
}

// address is the pointer to a step below l, opaque when too deep.
func (r *run) address(s *state, in ssa.Value, l loc, step string) val {
	l = l.field(step)
	if l.deep() {
		return sym{v: in}
	}
	return ptr{l}
}

func part(a *agg, step string, def ssa.Value) val {
	if v, ok := a.m[step]; ok {
		return v
	}
	if step == "[]" { // some element: the one that matters
		for _, k := range sortedKeys(a.m) {
			if _, ok := a.m[k].(own); ok && strings.HasPrefix(k, "[") {
				return a.m[k]
			}
		}
	}
	sub := map[string]val{}
	for k, v := range a.m {
		if len(k) > len(step) && strings.HasPrefix(k, step) && (k[len(step)] == '.' || k[len(step)] == '[') {
			sub[k[len(step):]] = v
		}
	}
	if len(sub) > 0 {
		return &agg{sub}
	}
	if v, ok := a.m[""]; ok {
		if _, ok := v.(own); ok {
			return own{sub: true}
		}
	}
	return sym{v: def}
}

// load reads a location. typ may be nil for an element of unknown type.
func (r *run) load(s *state, l loc, typ types.Type, in ssa.Value) val {
	return r.loadFrom(s, l, typ, in, 0)
}

// maxCopies is how many copies of copies a load looks through. Two places can
// be copies of each other: p.front, p.back = p.back[:0], p.front.
const maxCopies = 16

func (r *run) loadFrom(s *state, l loc, typ types.Type, in ssa.Value, copies int) val {
	if copies > maxCopies {
		return sym{l: l} // around and around
	}
	if v, ok := s.mem.get(l); ok {
		return v
	}
	if strings.HasSuffix(l.path, "]") {
		if v, ok := r.loadElem(s, l); ok {
			return v
		}
	}
	if strings.Contains(l.path, "[]") {
		if v, ok := s.loadAny(l, typ); ok {
			return v
		}
	}
	// Part of something known as a whole?
	for p := l.path; p != ""; {
		p = parentPath(p)
		up := loc{root: l.root, old: l.old, path: p}
		switch v := s.mem.at(up).(type) {
		case own:
			if typ != nil && !carries(typ) {
				return sym{v: in} // a number read through the handle
			}
			return own{sub: true}
		case *agg:
			return part(v, l.path[len(p):], in)
		case nilVal:
			if typ != nil {
				return zeroVal(typ)
			}
			return v
		case ptr:
			// A pointer was stored where the path was flattened.
			return r.loadFrom(s, loc{root: v.l.root, old: v.l.old, path: v.l.path + l.path[len(p):]}, typ, in, copies+1)
		case sym:
			if v.v != nil {
				return sym{v: in}
			}
			// A struct copied out of a place: its parts are those of the place.
			if from := v.l.field(l.path[len(p):]); !from.deep() && from != l {
				return r.loadFrom(s, from, typ, in, copies+1)
			}
		}
	}
	if typ != nil {
		switch typ.Underlying().(type) {
		case *types.Struct, *types.Array:
			sub := map[string]val{}
			for m, v := range s.mem.all() {
				if rest, ok := l.under(m); ok && rest != "" {
					sub[rest] = v
				}
			}
			if len(sub) > 0 {
				return &agg{sub}
			}
		case *types.Slice:
			// A slice header put together by hand: h.Data = uintptr(p).
			for m, v := range s.mem.all() {
				if rest, ok := l.under(m); ok && rest != "" && rest[0] == '.' && s.reach(v) {
					return own{sub: true}
				}
			}
		}
	}
	if _, ok := l.root.(*ssa.Alloc); ok && !l.old && !s.havocked(l) {
		if typ != nil {
			return zeroVal(typ)
		}
	}
	return sym{l: l}
}

// havocked reports whether an unknown call may have written below l's root.
func (s *state) havocked(l loc) bool {
	return s.mem.has(loc{root: l.root, old: l.old, path: "?"})
}

// loadElem reads an element at an index that is not known, or one that may
// have been stored under an index that was not known.
func (r *run) loadElem(s *state, l loc) (val, bool) {
	i := strings.LastIndexByte(l.path, '[')
	base := l.path[:i]
	any := l
	any.path = base + "[]"
	if l.path != any.path {
		v, ok := s.mem.get(any)
		return v, ok
	}
	var keys []string
	for m := range s.mem.all() {
		if m.root == l.root && m.old == l.old && strings.HasPrefix(m.path, base+"[") && strings.IndexByte(m.path[i:], ']') == len(m.path)-i-1 {
			keys = append(keys, m.path)
		}
	}
	best := ""
	for _, k := range keys {
		v := s.mem.at(loc{root: l.root, old: l.old, path: k})
		if s.reach(v) && (best == "" || k < best) {
			best = k
		}
	}
	if best == "" {
		return nil, false
	}
	return s.mem.at(loc{root: l.root, old: l.old, path: best}), true
}

func parentPath(p string) string {
	i := strings.LastIndexAny(p, ".[")
	if i < 0 {
		return ""
	}
	return p[:i]
}

func (r *run) store(s *state, in *ssa.Store) {
	l, ok := r.pointee(s, in.Addr)
	if !ok {
		return
	}
	v := r.eval(s, in.Val)
	if ia, ok := in.Addr.(*ssa.IndexAddr); ok {
		s.last = stored{l, r.indexKey(s, ia.Index), v}
	}
	r.put(s, l, v, in.Pos())
}

// stored is the last element that was set at an index which is not known:
//
//	a[i] = x
//	defer a[i].Close()
type stored struct {
	l     loc
	index any // the index register, or the variable that it is loaded from
	v     val
}

// indexKey identifies an index expression within one iteration. A captured
// counter is loaded anew each time: the variable stands for it.
func (r *run) indexKey(s *state, v ssa.Value) any {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if l, ok := r.pointee(s, load.X); ok {
			return l
		}
	}
	return v
}

// justStored returns what the same index expression was set to just before.
func (r *run) justStored(s *state, addr ssa.Value, l loc) (val, bool) {
	ia, ok := addr.(*ssa.IndexAddr)
	if !ok || s.last.index == nil || s.last.l != l || s.last.index != r.indexKey(s, ia.Index) {
		return nil, false
	}
	return s.last.v, true
}

// put writes v to l. Elements at unknown indices are written weakly.
func (r *run) put(s *state, l loc, v val, pos token.Pos) {
	if p, ok := pointee(v); ok && p == l {
		if _, is := s.mem.at(l).(own); !is {
			return // s.list = append(s.list, x): back to where it came from
		}
	}
	if strings.Contains(l.path, "[]") {
		if s.status == live && s.reachLoc(l, map[loc]bool{}) && !s.reach(v) {
			return // some other element, for all that is known
		}
	} else if s.status == live && s.reachLoc(l, map[loc]bool{}) && !s.reach(v) && !s.elsewhere(l) {
		s.over, s.overName = pos, placeName(l)
		s.overNil = isZero(v)
	}
	s.mem.keep(func(m loc, _ val) bool {
		rest, ok := l.under(m)
		return !ok || rest == ""
	})
	if strings.Contains(l.path, "[") && plain(v) && !s.reach(v) {
		// Numbers and strangers in slices tell no paths apart: forget them.
		s.mem.del(l)
		s.mem.set(loc{root: l.root, old: l.old, path: "?"}, nilVal{})
		return
	}
	if a, ok := v.(*agg); ok {
		s.mem.del(l)
		for k, e := range a.m {
			s.mem.set(l.field(k), e)
		}
		return
	}
	s.mem.set(l, v)
}

// plain reports whether a value can neither hold the resource nor decide a
// branch that matters.
func plain(v val) bool {
	switch v := v.(type) {
	case intVal:
		return true
	case sym:
		return v.v != nil
	}
	return false
}

// elsewhere reports whether memory outside l, or a deferred call, leads to the
// resource too. Registers do not count: most are dead.
func (s *state) elsewhere(l loc) bool {
	if s.deferredHold() {
		return true
	}
	for m, v := range s.mem.all() {
		if _, inside := l.under(m); inside {
			continue
		}
		if p, ok := pointee(v); ok && p.root == l.root {
			continue // the way to l itself
		}
		if s.reach(v) {
			return true
		}
	}
	return false
}

// placeName names a location for a message.
func placeName(l loc) string {
	name := ""
	switch root := l.root.(type) {
	case *ssa.Alloc:
		name = root.Comment
	case *ssa.Global:
		name = root.Name()
	case sym:
		if p, ok := root.v.(*ssa.Parameter); ok {
			name = p.Name()
		} else if fv, ok := root.v.(*ssa.FreeVar); ok {
			name = fv.Name()
		}
	}
	if name == "complit" || name == "new" {
		name = ""
	}
	return strings.TrimPrefix(name+l.path, ".")
}
