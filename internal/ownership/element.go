// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

func indexStep(v ssa.Value) string {
	if c, ok := v.(*ssa.Const); ok && c.Value != nil {
		return "[" + c.Value.ExactString() + "]"
	}
	return "[]"
}

func (r *run) indexAddr(s *state, in *ssa.IndexAddr) {
	x := r.eval(s, in.X)
	switch x := x.(type) {
	case own:
		s.set(in, own{sub: true})
		return
	case view:
		s.set(in, x)
		return
	}
	l, ok := pointee(x)
	if !ok {
		return
	}
	step := "[]"
	if _, ok := in.X.(*ssa.Alloc); ok {
		step = indexStep(in.Index) // an array: elements apart
	}
	if s.freed != nil && step == "[]" && usedByAddress(in) && !(s.freed.cell == l.field(step) && s.freed.index == r.indexKey(s, in.Index)) {
		return // &mats[1], and it was mats[0] that was closed
	}
	s.set(in, r.address(s, in, l, step))
}

func (r *run) lookup(s *state, in *ssa.Lookup) {
	l, ok := r.pointee(s, in.X)
	if !ok {
		return
	}
	x := r.load(s, l.field("[]"), in.Type(), in)
	if !s.reach(x) || r.after {
		return
	}
	if in.CommaOk {
		s.set(in, &tup{[]val{x, boolVal(true)}})
	} else {
		s.set(in, x)
	}
}

func (r *run) slice(s *state, in *ssa.Slice) {
	switch x := r.eval(s, in.X).(type) {
	case view:
		s.set(in, x)
	case ptr:
		s.set(in, x)
	case sym:
		s.set(in, x)
	case own:
		s.set(in, x)
	}
}

// loadAny reads a place below an element whose index is not known from the
// element that leads to the resource: "[].x" from "[1].x".
func (s *state) loadAny(l loc, typ types.Type) (val, bool) {
	isStruct := typ != nil && isStructVal(typ)
	parts := map[string]map[string]val{} // by element, then by path below l
	for m, v := range s.mem.all() {
		if m.root != l.root || m.old != l.old || !s.reach(v) {
			continue
		}
		elem, rest, ok := matchIndex(l.path, m.path)
		if !ok || rest != "" && !isStruct {
			continue
		}
		if parts[elem] == nil {
			parts[elem] = map[string]val{}
		}
		parts[elem][rest] = v
	}
	for _, elem := range sortedKeys(parts) {
		if v, ok := parts[elem][""]; ok {
			return v, true
		}
		return &agg{parts[elem]}, true
	}
	return nil, false
}

// matchIndex reports whether path, in which [] stands for any index, is a
// prefix of full, and gives the part of full that it matches and the rest.
func matchIndex(path, full string) (elem, rest string, ok bool) {
	i := 0
	for j := 0; j < len(path); {
		if i >= len(full) {
			return "", "", false
		}
		if path[j] == '[' && j+1 < len(path) && path[j+1] == ']' && full[i] == '[' {
			end := strings.IndexByte(full[i:], ']')
			if end < 0 {
				return "", "", false
			}
			i += end + 1
			j += 2
			continue
		}
		if path[j] != full[i] {
			return "", "", false
		}
		i++
		j++
	}
	rest = full[i:]
	if rest != "" && rest[0] != '.' && rest[0] != '[' {
		return "", "", false
	}
	return full[:i], rest, true
}

// loadVisited reads an element in a loop over the container: once it is the
// resource, otherwise it is not.
func (r *run) loadVisited(s *state, in ssa.Value, v val) ([]*state, bool) {
	l := r.visiting(s)
	if l == nil || s.freed != nil && s.freed.single {
		if r.after {
			s.env.del(in) // another element, for all that is known
			return nil, false
		}
		s.set(in, v)
		return nil, false
	}
	switch now := s.visited[l.head]; {
	case now.now > 0:
		s.set(in, v) // a[i] again
		return nil, false
	case now.now < 0 || now.seen:
		s.env.del(in)
		return nil, false
	}
	t := s.clone()
	t.env.del(in)
	t.visit(l.head, false)
	s.visit(l.head, true)
	s.set(in, v)
	return []*state{s, t}, true
}

// usedByAddress reports whether the address of a struct-valued element is more
// than loaded from: mats[i].Close(). That of a pointer stands for the whole
// array: C.fill(&points[0], n).
func usedByAddress(in *ssa.IndexAddr) bool {
	if !isStructVal(elem(in.Type())) {
		return false
	}
	for _, ref := range *in.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
		case *ssa.Store:
			if ref.Val == in {
				return true
			}
		default:
			return true
		}
	}
	return false
}
