// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// sizedPool reports free lists by size whose elements are only ever taken out
// to be used again: when a size is not asked for any more, its buffers stay.
//
//	pool[n] = append(pool[n], buf)     put back
//	buf = pool[n][len(pool[n])-1]      taken out again, if n comes up
func (k *keepScan) sizedPool(h *held) []Verdict {
	if len(h.released) > 0 || h.obj == nil {
		return nil // somebody empties it
	}
	for _, ev := range h.events {
		switch {
		case ev.op == keepAdd && (ev.key == nil || !ev.slice || k.fewKeys(ev.key, 0) || k.keyOf(ev.key) == keyFixed):
			return nil // not by size, or a few sizes
		case ev.op == keepSlot || ev.op == keepFilter || ev.op == keepClear && ev.key == nil:
			return nil
		case ev.op == keepDrop && ev.what != "the cut":
			return nil // entries are deleted
		}
	}
	for _, ev := range h.adds {
		got, ok := k.elem(ev.typ)
		if !ok || got.class.Name == "" {
			continue
		}
		if k.sureness(h, ev, keepValue{source: fromAcquire}, false) < report.Likely {
			continue
		}
		return []Verdict{{
			Kind: Grows, Tier: report.Likely, Class: got.class, Function: funcName(ev.fn), Pos: k.pos(ev.at), Acquired: k.pos(ev.at),
			Name: h.name, Detail: "new key",
		}}
	}
	return nil
}

// stays reports a function that releases what an element holds on two paths, and
// takes the element out of the container on one of them only.
//
//	if !img.atlas {
//		img.backend.image.Dispose()
//		return                            img.backend stays in backends
//	}
//	img.backend.image.Dispose()
//	for i, b := range backends {
//		if b == img.backend {
//			backends = append(backends[:i], backends[i+1:]...)
func (k *keepScan) stays(h *held) []Verdict {
	var list []Verdict
	for _, ev := range h.events {
		if ev.op != keepDrop || ev.key == nil {
			continue
		}
		l := ev.loop(k.e)
		if l == nil {
			continue
		}
		v := k.comparedWith(l, ev.ref.place)
		if v == "" {
			continue
		}
		var first *ssa.Return
		var at *ssa.Call
		removes := false
		for _, b := range ev.fn.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(*ssa.Call)
				if !ok || l.contains(b) || !k.releasesBelow(call, v) {
					continue
				}
				ret := k.search(call, func(in ssa.Instruction) bool { return in.Block() == l.head }, func(*ssa.Select) int { return -1 })
				if ret == nil {
					removes = true
				} else if first == nil {
					first, at = ret, call
				}
			}
		}
		if first == nil || !removes {
			continue
		}
		got, ok := k.elem(ev.typ)
		if !ok || got.class.Name == "" {
			continue
		}
		list = append(list, Verdict{
			Kind: Kept, Tier: report.Likely, Class: got.class, Function: funcName(ev.fn), Pos: exitPos(first), Acquired: k.e.callPos(at),
			Name: h.name, Detail: "stays",
		})
	}
	return list
}

// comparedWith is the expression that a loop compares the elements of a place
// with, as a path from a parameter: "img.backend".
func (k *keepScan) comparedWith(l *loop, p keepPlace) string {
	for _, b := range l.head.Parent().Blocks {
		if !l.contains(b) {
			continue
		}
		for _, in := range b.Instrs {
			bin, ok := in.(*ssa.BinOp)
			if !ok || bin.Op != token.EQL {
				continue
			}
			if k.elementOf(bin.X, p) {
				return exprPath(bin.Y, 0)
			}
			if k.elementOf(bin.Y, p) {
				return exprPath(bin.X, 0)
			}
		}
	}
	return ""
}

// exprPath spells a chain of fields that begins with a parameter.
func exprPath(v ssa.Value, depth int) string {
	if depth > 8 {
		return ""
	}
	switch x := v.(type) {
	case *ssa.Parameter:
		return x.Name()
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return exprPath(x.X, depth+1)
		}
	case *ssa.FieldAddr:
		if base := exprPath(x.X, depth+1); base != "" {
			return base + "." + fieldName(x.X.Type(), x.Field)
		}
	}
	return ""
}

// releasesBelow reports whether a call releases v or what v leads to.
func (k *keepScan) releasesBelow(call *ssa.Call, v string) bool {
	for _, a := range call.Call.Args {
		p := exprPath(a, 0)
		if (p == v || len(p) > len(v) && p[:len(v)] == v && p[len(v)] == '.') && k.releases(&call.Call, a) {
			return true
		}
	}
	return false
}
