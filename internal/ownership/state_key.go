// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"reflect"

	"golang.org/x/tools/go/ssa"
)

// ids numbers registers, blocks and calls in the order they are met, so that
// hashes are the same in every run.
type ids struct {
	m map[any]uint64
}

func (x *ids) of(v any) uint64 {
	if x.m == nil {
		x.m = map[any]uint64{}
	}
	id, ok := x.m[v]
	if !ok {
		id = uint64(len(x.m) + 1)
		x.m[v] = id
	}
	return id
}

// value is the number of a register, which is a pointer: hashing it is cheap.
func (x *ids) value(v ssa.Value) uint64 {
	if v == nil {
		return 0
	}
	return x.of(v)
}

func (x *ids) sym(v sym) uint64 {
	h := mix(x.value(v.v), uint64(v.i))
	if v.l.root == nil {
		return h
	}
	return mix(h, x.loc(v.l))
}

func (x *ids) loc(l loc) uint64 {
	var h uint64
	switch root := l.root.(type) {
	case sym:
		h = mix(16, x.sym(root))
	case ssa.Value:
		h = x.value(root)
	}
	if l.old {
		h = mix(h, 17)
	}
	return mix(h, hashString(l.path))
}

func mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2)
	a ^= a >> 31
	a *= 0xbf58476d1ce4e5b9
	a ^= a >> 27
	return a
}

// hashString is FNV-1a.
func hashString(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

func (x *ids) hash(v val) uint64 {
	switch v := v.(type) {
	case nil:
		return 1
	case nilVal:
		return 2
	case own:
		if v.sub {
			return 4
		}
		return 3
	case done:
		return 5
	case boolVal:
		if v {
			return 6
		}
		return 7
	case intVal:
		return mix(8, hashString(string(v)))
	case sym:
		return mix(9, x.sym(v))
	case ptr:
		return mix(10, x.loc(v.l))
	case view:
		return mix(15, x.of(v.l))
	case *clo:
		h := mix(11, x.of(v.fn))
		for _, b := range v.b {
			h = mix(h, x.hash(b))
		}
		return h
	case *tup:
		h := uint64(12)
		for _, e := range v.vs {
			h = mix(h, x.hash(e))
		}
		return h
	case *agg:
		h := uint64(13)
		for k, e := range v.m {
			h += mix(hashString(k), x.hash(e))
		}
		return h
	}
	return mix(14, hashString(reflect.TypeOf(v).String()))
}

// key identifies a state up to what explains it.
func (s *state) key(x *ids) uint64 {
	h := mix(uint64(s.status), uint64(len(s.defers)))
	if s.weak {
		h = mix(h, 77)
	}
	var sum uint64
	for k, v := range s.env.all() {
		sum += mix(x.value(k), x.hash(v))
	}
	h = mix(h, sum)
	sum = 0
	for k, v := range s.mem.all() {
		sum += mix(x.loc(k), x.hash(v))
	}
	h = mix(h, sum)
	sum = 0
	for k, f := range s.facts.all() {
		sum += mix(x.sym(k), mix(mix(uint64(uint8(f.isNil))<<8|uint64(uint8(f.truth)), hashString(f.equals)), hashString(f.differ)))
	}
	h = mix(h, sum)
	for _, stack := range s.defers {
		h = mix(h, uint64(len(stack)))
		for _, d := range stack {
			h = mix(h, x.of(d.call))
			h = mix(h, x.hash(d.fn))
			for _, a := range d.args {
				h = mix(h, x.hash(a))
			}
		}
	}
	sum = 0
	if s.last.index != nil && s.reach(s.last.v) {
		sum += mix(24, x.of(s.last.index))
	}
	if s.freed != nil {
		sum += mix(25, x.of(s.freed.in)+1)
	}
	if s.pending != nil {
		sum += mix(26, x.of(s.pending.call))
	}
	if s.tested != nil {
		sum += mix(23, x.of(s.tested))
	}
	for b, v := range s.visited {
		h := mix(21, x.of(b))
		for i, flag := range []bool{v.seen, v.other, v.round} {
			if flag {
				h = mix(h, uint64(i+1))
			}
		}
		sum += mix(h, uint64(uint8(v.now)))
	}
	for c := range s.may {
		sum += mix(22, x.of(c))
	}
	return mix(h, sum)
}
