// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// hasRoom reports whether a channel has a buffer, or might have: its make is
// not in sight.
func (k *keepScan) hasRoom(v ssa.Value, depth int) bool {
	if ch := k.madeChan(v); ch != nil {
		return !isConstInt(ch.Size, 0)
	}
	if ref, ok := k.container(v); ok {
		for _, ch := range k.madeFor(ref.place) {
			if isConstInt(ch.Size, 0) {
				return false
			}
		}
		return true
	}
	switch x := v.(type) {
	case *ssa.FreeVar:
		if b := k.binding(x); b != nil && depth < 4 {
			return k.hasRoom(b, depth+1)
		}
	case *ssa.UnOp:
		if depth < 4 {
			return k.hasRoom(x.X, depth+1)
		}
	}
	return false // a parameter: the caller's consumer may be gone
}

// madeFor are the channels that are put into a place.
func (k *keepScan) madeFor(p keepPlace) []*ssa.MakeChan {
	var list []*ssa.MakeChan
	for _, fn := range k.e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				st, ok := in.(*ssa.Store)
				if !ok {
					continue
				}
				ch, ok := st.Val.(*ssa.MakeChan)
				if !ok {
					continue
				}
				if ref, ok := k.address(st.Addr); ok && ref.place == p {
					list = append(list, ch)
				}
			}
		}
	}
	return list
}

// deadEdge reports whether a branch waits for a channel that stays silent: the
// end of a range over a channel that nobody closes, or the case of a select.
func (k *keepScan) deadEdge(b *ssa.BasicBlock, i int) bool {
	if sel, n := selectCase(b); sel != nil {
		st := sel.States[n]
		return i == 0 && st.Send == nil && k.silent(st.Chan)
	}
	iff, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok || i == 0 {
		return false
	}
	x, ok := iff.Cond.(*ssa.Extract)
	if !ok || x.Index != 1 {
		return false
	}
	recv, ok := x.Tuple.(*ssa.UnOp)
	return ok && recv.Op == token.ARROW && k.unclosed(recv.X)
}

// silent reports whether nothing ever closes or sends on a channel.
func (k *keepScan) silent(v ssa.Value) bool {
	use, ok := k.chanUse(v)
	return ok && !use.closed && !use.sent
}

// unclosed reports whether nothing ever closes a channel.
func (k *keepScan) unclosed(v ssa.Value) bool {
	use, ok := k.chanUse(v)
	return ok && !use.closed
}

// chanUse is what the package does to a channel.
type chanUse struct{ closed, sent, given bool }

// chanUse looks at every use of a channel: a local one, or one in a field or
// variable that only this package sees. It reports false if others may have it.
func (k *keepScan) chanUse(v ssa.Value) (chanUse, bool) {
	if ch := k.madeChan(v); ch != nil {
		u := &chanUse{}
		k.followChan(ch, u, map[ssa.Value]bool{})
		return *u, !u.given
	}
	ref, ok := k.container(v)
	if !ok || ref.nested || ref.place.obj != nil && ref.place.obj.Exported() && k.e.pass.Pkg.Name() != "main" {
		return chanUse{}, false
	}
	if got, ok := k.chans[ref.place]; ok {
		return got, !got.given
	}
	u := &chanUse{}
	seen := map[ssa.Value]bool{}
	made := false
	for _, fn := range k.e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.UnOp:
					if in.Op != token.MUL {
						continue
					}
					if got, ok := k.address(in.X); ok && got.place == ref.place {
						k.followChan(in, u, seen)
					}
				case *ssa.Field:
					if got, ok := k.field(in.X, in.Field); ok && got.place == ref.place {
						k.followChan(in, u, seen)
					}
				case *ssa.Store:
					got, ok := k.address(in.Addr)
					if !ok || got.place != ref.place {
						continue
					}
					if ch := k.madeChan(in.Val); ch != nil {
						made = true
						k.followChan(ch, u, seen)
					} else if c, isConst := in.Val.(*ssa.Const); !isConst || c.Value != nil {
						u.given = true // somebody else's
					}
				}
			}
		}
	}
	u.given = u.given || !made
	k.chans[ref.place] = *u
	return *u, !u.given
}

// followChan notes what is done to a channel's value.
func (k *keepScan) followChan(v ssa.Value, u *chanUse, seen map[ssa.Value]bool) {
	if seen[v] || v.Referrers() == nil {
		return
	}
	seen[v] = true
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Send:
			if ref.Chan == v {
				u.sent = true
			} else {
				u.given = true
			}
		case *ssa.Select:
			for _, st := range ref.States {
				if st.Chan == v && st.Send != nil {
					u.sent = true
				}
				if st.Send == v {
					u.given = true
				}
			}
		case *ssa.UnOp:
			if ref.Op == token.MUL {
				k.followChan(ref, u, seen)
			}
		case *ssa.Store:
			if ref.Val != v {
				continue
			}
			switch a := ref.Addr.(type) {
			case *ssa.Alloc:
				k.followChan(a, u, seen)
			case *ssa.FieldAddr, *ssa.Global:
				if got, ok := k.address(a); !ok || got.place.obj == nil || got.place.obj.Exported() {
					u.given = true
				} else if _, ok := v.(*ssa.MakeChan); !ok {
					u.given = true
				}
			default:
				u.given = true
			}
		case *ssa.ChangeType, *ssa.Phi:
			k.followChan(ref.(ssa.Value), u, seen)
		case *ssa.MakeClosure:
			for i, b := range ref.Bindings {
				if b == v {
					k.followChan(ref.Fn.(*ssa.Function).FreeVars[i], u, seen)
				}
			}
		case *ssa.Return, *ssa.MakeInterface, *ssa.MapUpdate:
			u.given = true
		case ssa.CallInstruction:
			c := ref.Common()
			if b, ok := c.Value.(*ssa.Builtin); ok {
				u.closed = u.closed || b.Name() == "close"
				u.given = u.given || b.Name() == "append"
				continue
			}
			fn := k.bodyOf(c)
			if fn == nil {
				u.given = true
				continue
			}
			for i, a := range c.Args {
				if a == v && i < len(fn.Params) {
					k.followChan(fn.Params[i], u, seen)
				}
			}
		}
	}
}
