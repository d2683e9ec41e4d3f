// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/constant"

	"golang.org/x/tools/go/ssa"
)

// assigned handles a container that is assigned to a place.
//
//	t5 = append(t2, x)     adds, if t2 is what the place held
//	t5 = t2[1:]            drops
//	t5 = nil, make, ...    clears
func (k *keepScan) assigned(fn *ssa.Function, at ssa.Instruction, ref keepRef, v, key ssa.Value) {
	if _, ok := k.elem(leafType(v.Type())); !ok && !isFunc(leafType(v.Type())) {
		return
	}
	ev := keepEvent{ref: ref, fn: fn, at: at, key: key, typ: leafType(v.Type())}
	ch := k.chain(v, ref)
	switch {
	case ch.own:
		ev.op, ev.what = keepFilter, "rebuilding the slice"
		k.event(&ev)
	case ch.same && ch.cut != nil:
		ev.op, ev.what = keepDrop, "the cut"
		if ch.empties {
			ev.op, ev.what = keepClear, "the cut to length 0"
		}
		ev.key = ch.index
		k.event(&ev)
	case ch.same:
	case k.beginning(fn, at, ref):
	case ch.refills:
		// m[k] = append(pool, x), where pool is another variable
		if len(ch.adds) == 0 && key == nil {
			ev.op, ev.what, ev.quiet = keepClear, "the assignment", true
			k.event(&ev) // a, b = b, a: who reads them next cannot be told
		}
	default:
		ev.op, ev.what = keepClear, "the assignment"
		if len(ch.adds) > 0 && key != nil {
			break // a first element under a new key
		}
		k.event(&ev)
	}
	for _, add := range ch.adds {
		a := keepEvent{op: keepAdd, ref: ref, fn: fn, at: at, key: key, elem: add, typ: madeType(add), slice: true, what: "append"}
		if k.holds(add) {
			k.event(&a)
		} else {
			k.funcEvent(&a)
		}
	}
}

// chained is what an assigned container is made of.
type chainInfo struct {
	same    bool        // it begins with what the place held
	own     bool        // elements of the place itself were appended again
	refills bool        // begins with another place
	adds    []ssa.Value // appended
	cut     *ssa.Slice
	index   ssa.Value // the element that is cut out
	empties bool
}

func (k *keepScan) chain(v ssa.Value, ref keepRef) chainInfo {
	var ch chainInfo
	seen := map[ssa.Value]bool{}
	var walk func(v ssa.Value)
	walk = func(v ssa.Value) {
		if seen[v] || len(seen) > 30 {
			return
		}
		seen[v] = true
		switch x := v.(type) {
		case *ssa.Phi:
			for _, e := range x.Edges {
				walk(e)
			}
		case *ssa.ChangeType:
			walk(x.X)
		case *ssa.Slice:
			if _, fromArray := x.X.(*ssa.Alloc); fromArray && !k.refersTo(x.X, ref) {
				for _, el := range arrayElems(x.X.(*ssa.Alloc)) {
					ch.adds = append(ch.adds, el)
				}
				return // a literal
			}
			if x.Low != nil && !isZeroConst(x.Low) || x.High != nil {
				ch.cut = x
				ch.empties = ch.empties || x.High != nil && isZeroConst(x.High) && x.Low == nil
				if x.Low == nil && x.High != nil {
					ch.index = x.High
				} else if isOne(x.Low) {
					ch.index = x.Low
				}
			}
			walk(x.X)
		case *ssa.Call:
			if b, ok := x.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
				k.appended(x, ref, &ch)
				walk(x.Call.Args[0])
				return
			}
			switch name := stdCallee(&x.Call, "slices"); name {
			case "Delete", "DeleteFunc", "Compact", "CompactFunc", "Replace":
				ch.cut = new(ssa.Slice)
				if name == "Delete" && len(x.Call.Args) > 1 {
					ch.index = x.Call.Args[1]
				}
				walk(x.Call.Args[0])
			case "Insert":
				if len(x.Call.Args) > 2 {
					ch.adds = append(ch.adds, varargs(x.Call.Args[2])...)
				}
				walk(x.Call.Args[0])
			case "Grow", "Clip":
				walk(x.Call.Args[0])
			}
		default:
			if got, ok := k.container(v); ok {
				if got.place == ref.place {
					ch.same = true
				} else {
					ch.refills = true
				}
			}
		}
	}
	walk(v)
	if len(ch.adds) > 0 && !ch.own {
		ch.cut = nil // make room, then append: the cut is judged by its own
		if ch.index != nil {
			ch.cut = new(ssa.Slice)
		}
	}
	return ch
}

// appended sorts out what an append adds: new elements, or the rest of the same
// container behind a gap: append(s[:i], s[i+1:]...).
func (k *keepScan) appended(x *ssa.Call, ref keepRef, ch *chainInfo) {
	if len(x.Call.Args) < 2 {
		return
	}
	els := varargs(x.Call.Args[1])
	if els == nil {
		if got, ok := k.container(x.Call.Args[1]); ok && got.place == ref.place {
			if head, ok := x.Call.Args[0].(*ssa.Slice); ok {
				ch.index = head.High
			}
			return // the rest
		}
		ch.adds = append(ch.adds, x.Call.Args[1])
		return
	}
	for _, el := range els {
		if k.elementOf(el, ref.place) {
			ch.own = true
			continue
		}
		ch.adds = append(ch.adds, el)
	}
}

// elementOf reports whether v was read out of a place.
func (k *keepScan) elementOf(v ssa.Value, p keepPlace) bool {
	for i := 0; i < 8; i++ {
		switch x := v.(type) {
		case *ssa.UnOp:
			switch a := x.X.(type) {
			case *ssa.IndexAddr:
				ref, ok := k.container(a.X)
				return ok && ref.place == p
			case *ssa.Alloc:
				s := keepStore(a)
				if s == nil {
					return false
				}
				v = s.Val
				continue
			}
			return false
		case *ssa.Lookup:
			ref, ok := k.container(x.X)
			return ok && ref.place == p
		case *ssa.Extract:
			switch t := x.Tuple.(type) {
			case *ssa.Next:
				if r, ok := t.Iter.(*ssa.Range); ok {
					ref, ok := k.container(r.X)
					return ok && ref.place == p
				}
			case *ssa.Lookup:
				ref, ok := k.container(t.X)
				return ok && ref.place == p
			}
			return false
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.TypeAssert:
			v = x.X
		default:
			return false
		}
	}
	return false
}

func (k *keepScan) refersTo(v ssa.Value, ref keepRef) bool {
	got, ok := k.container(v)
	return ok && got.place == ref.place
}

// varargs are the elements of a slice made for a variadic call, or nil.
func varargs(v ssa.Value) []ssa.Value {
	sl, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	a, ok := sl.X.(*ssa.Alloc)
	if !ok || a.Comment != "varargs" && a.Comment != "slicelit" {
		return nil
	}
	return arrayElems(a)
}

func arrayElems(a *ssa.Alloc) []ssa.Value {
	var list []ssa.Value
	for _, ref := range *a.Referrers() {
		ia, ok := ref.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, r := range *ia.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == ia {
				list = append(list, st.Val)
			}
		}
		if list == nil {
			list = append(list, ia) // a struct literal, built in place
		}
	}
	return list
}

func isZeroConst(v ssa.Value) bool { return isConstInt(v, 0) }

func isOne(v ssa.Value) bool { return isConstInt(v, 1) }

func isConstInt(v ssa.Value, want int64) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return false
	}
	n, exact := constant.Int64Val(c.Value)
	return exact && n == want
}
