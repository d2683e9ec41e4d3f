// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// blockedSend: the goroutine sends its one result on a channel without room,
// and the function that started it can return before it receives.
//
//	ch := make(chan result)
//	go func() { ch <- work(x) }()
//	select {
//	case r := <-ch: ...
//	case <-ctx.Done(): return ctx.Err()     nobody will ever receive
//	}
func (k *keepScan) blockedSend(sp *spawned, v *Verdict) bool {
	for _, ch := range k.localChans(sp) {
		if !isConstInt(ch.Size, 0) || !k.plainSend(sp, ch) || k.seenElsewhere(ch, sp) {
			continue
		}
		at := k.returnsFirst(sp, ch)
		if at == nil {
			continue
		}
		line := k.e.pass.Fset.Position(exitPos(at)).Line
		v.Detail = fmt.Sprintf("goroutine holds %s and blocks for ever if this function returns at line %d before it receives from %s: give the channel room for one, or let the send give up with the context",
			sp.hold, line, k.chanName(ch))
		return true
	}
	return false
}

// localChans are the channels made by the starting function that the goroutine
// is given.
func (k *keepScan) localChans(sp *spawned) []*ssa.MakeChan {
	var list []*ssa.MakeChan
	add := func(v ssa.Value) {
		if ch := k.madeChan(v); ch != nil && ch.Parent() == sp.from && !slices.Contains(list, ch) {
			list = append(list, ch)
		}
	}
	if mc, ok := sp.at.Call.Value.(*ssa.MakeClosure); ok {
		for _, b := range mc.Bindings {
			add(b)
		}
	}
	for _, a := range sp.at.Call.Args {
		add(a)
	}
	return list
}

// madeChan follows a value to the make of its channel.
func (k *keepScan) madeChan(v ssa.Value) *ssa.MakeChan {
	for i := 0; i < 8; i++ {
		switch x := v.(type) {
		case *ssa.MakeChan:
			return x
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Alloc:
			s := keepStore(x)
			if s == nil {
				return nil
			}
			v = s.Val
		case *ssa.UnOp:
			v = x.X
		case *ssa.FreeVar:
			v = k.binding(x)
		case *ssa.Parameter:
			v = k.onlyArg(x)
		default:
			return nil
		}
	}
	return nil
}

// onlyArg is the argument that the one call of a function gives for p.
func (k *keepScan) onlyArg(p *ssa.Parameter) ssa.Value {
	calls := k.callersOf(p.Parent())
	i := slices.Index(p.Parent().Params, p)
	if len(calls) != 1 || i >= len(calls[0].Common().Args) {
		return nil
	}
	return calls[0].Common().Args[i]
}

func (k *keepScan) chanName(ch *ssa.MakeChan) string {
	for _, ref := range *ch.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if a, ok := ref.Addr.(*ssa.Alloc); ok && a.Comment != "" {
				return a.Comment
			}
		case *ssa.DebugRef:
			if obj := ref.Object(); obj != nil {
				return obj.Name()
			}
		}
	}
	return "the channel"
}

// plainSend reports whether the goroutine sends on ch with no way out.
func (k *keepScan) plainSend(sp *spawned, ch *ssa.MakeChan) bool {
	for _, fn := range andLiterals(sp.body) {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.Send:
					if k.madeChan(in.Chan) == ch {
						return true
					}
				case *ssa.Select:
					if len(in.States) == 1 && in.Blocking && in.States[0].Send != nil && k.madeChan(in.States[0].Chan) == ch {
						return true
					}
				}
			}
		}
	}
	return false
}

// seenElsewhere reports whether somebody else may receive from ch: it is
// returned, stored, handed to another function, or drained by a literal.
func (k *keepScan) seenElsewhere(ch *ssa.MakeChan, sp *spawned) bool {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		if seen[v] || v.Referrers() == nil {
			return false
		}
		seen[v] = true
		for _, ref := range *v.Referrers() {
			switch ref := ref.(type) {
			case *ssa.Store:
				if ref.Val != v {
					continue
				}
				a, ok := ref.Addr.(*ssa.Alloc)
				if !ok || visit(a) {
					return true
				}
			case *ssa.UnOp:
				if ref.Op == token.MUL && visit(ref) {
					return true
				}
				if ref.Op == token.ARROW && ref.Parent() != sp.from {
					return true
				}
			case *ssa.ChangeType, *ssa.Phi:
				if visit(ref.(ssa.Value)) {
					return true
				}
			case *ssa.MakeClosure:
				for i, b := range ref.Bindings {
					if b == v && visit(ref.Fn.(*ssa.Function).FreeVars[i]) {
						return true
					}
				}
			case *ssa.Select:
				for _, st := range ref.States {
					if st.Chan == v && st.Send == nil && ref.Parent() != sp.from {
						return true
					}
				}
			case *ssa.Return, *ssa.MakeInterface, *ssa.MapUpdate:
				return true
			case *ssa.Go:
				if k.bodyOf(&ref.Call) != sp.body {
					for i, a := range ref.Call.Args {
						if fn := k.bodyOf(&ref.Call); a == v && (fn == nil || i < len(fn.Params) && visit(fn.Params[i])) {
							return true
						}
					}
				}
			case ssa.CallInstruction:
				if b, ok := ref.Common().Value.(*ssa.Builtin); ok && b.Name() != "append" {
					continue
				}
				return true
			}
		}
		return false
	}
	return visit(ch)
}

// returnsFirst finds a return that the starting function can reach without
// receiving as often as there are senders.
func (k *keepScan) returnsFirst(sp *spawned, ch *ssa.MakeChan) *ssa.Return {
	many := k.e.info(sp.from).inner.has(sp.at.Block().Index)
	return k.search(sp.at, func(in ssa.Instruction) bool {
		recv, ok := in.(*ssa.UnOp)
		if !ok || recv.Op != token.ARROW || k.madeChan(recv.X) != ch {
			return false
		}
		// One of several senders is served; a return in the middle of the
		// receiving loop leaves the others.
		return !(many && k.leavesEarly(recv))
	}, func(sel *ssa.Select) int {
		for i, st := range sel.States {
			if st.Send == nil && k.madeChan(st.Chan) == ch {
				return i
			}
		}
		return -1
	})
}

// leavesEarly reports whether a receive stands in a counted loop that a return
// can leave before its end.
func (k *keepScan) leavesEarly(recv *ssa.UnOp) bool {
	fi := k.e.info(recv.Parent())
	for _, l := range fi.loops {
		if !l.contains(recv.Block()) || recv.CommaOk {
			continue
		}
		for _, b := range recv.Parent().Blocks {
			if !l.contains(b) || b == l.head {
				continue
			}
			for _, s := range b.Succs {
				if !l.contains(s) && !reachesReceive(s) {
					return true
				}
			}
		}
	}
	return false
}

func reachesReceive(b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock) bool
	visit = func(b *ssa.BasicBlock) bool {
		if seen[b] {
			return false
		}
		seen[b] = true
		for _, in := range b.Instrs {
			if u, ok := in.(*ssa.UnOp); ok && u.Op == token.ARROW {
				return true
			}
		}
		for _, s := range b.Succs {
			if visit(s) {
				return true
			}
		}
		return false
	}
	return visit(b)
}

// search walks from an instruction to a return, not past instructions that
// stop says satisfy the search, and not into the case of a select that does.
func (k *keepScan) search(from ssa.Instruction, stop func(ssa.Instruction) bool, good func(*ssa.Select) int) *ssa.Return {
	seen := map[*ssa.BasicBlock]bool{}
	var found *ssa.Return
	var visit func(b *ssa.BasicBlock, start int)
	visit = func(b *ssa.BasicBlock, start int) {
		if found != nil || start == 0 && seen[b] {
			return
		}
		if start == 0 {
			seen[b] = true
		}
		for _, in := range b.Instrs[start:] {
			if stop(in) {
				return
			}
			if ret, ok := in.(*ssa.Return); ok {
				found = ret
				return
			}
			if sel, ok := in.(*ssa.Select); ok && len(sel.States) == 1 && sel.Blocking && good(sel) == 0 {
				return
			}
		}
		for i, s := range b.Succs {
			if i == 0 && k.caseOf(b, good) {
				continue // received
			}
			if l := k.e.info(b.Parent()).loops[b]; l != nil && !l.contains(s) && loopHas(l, stop) {
				continue // by way of its turns: there are as many as there are senders
			}
			visit(s, 0)
		}
	}
	for i, in := range from.Block().Instrs {
		if in == from {
			visit(from.Block(), i+1)
		}
	}
	return found
}

// loopHas reports whether an instruction of a loop satisfies stop.
func loopHas(l *loop, stop func(ssa.Instruction) bool) bool {
	for _, b := range l.head.Parent().Blocks {
		if !l.contains(b) {
			continue
		}
		for _, in := range b.Instrs {
			if stop(in) {
				return true
			}
		}
	}
	return false
}

// caseOf reports whether a block's branch asks for the case of a select that
// good names.
//
//	t1 = select blocking [<-ch, <-done]
//	t2 = extract t1 #0
//	t3 = t2 == 0
//	if t3 goto case else next
func (k *keepScan) caseOf(b *ssa.BasicBlock, good func(*ssa.Select) int) bool {
	sel, i := selectCase(b)
	return sel != nil && good(sel) == i
}

func selectCase(b *ssa.BasicBlock) (*ssa.Select, int) {
	iff, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return nil, 0
	}
	bin, ok := iff.Cond.(*ssa.BinOp)
	if !ok || bin.Op != token.EQL {
		return nil, 0
	}
	x, ok := bin.X.(*ssa.Extract)
	if !ok || x.Index != 0 {
		return nil, 0
	}
	sel, ok := x.Tuple.(*ssa.Select)
	if !ok {
		return nil, 0
	}
	for i := range sel.States {
		if isConstInt(bin.Y, int64(i)) {
			return sel, i
		}
	}
	return nil, 0
}
