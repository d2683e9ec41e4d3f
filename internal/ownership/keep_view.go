// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// partWords are in the names of views that show a part of their parent. A
// reshaped or transposed one shows all of it and pins nothing that it does not
// need.
var partWords = []string{"row", "col", "rows", "cols", "region", "slice", "narrow", "select", "index", "sub", "crop", "roi", "part", "section", "range", "at", "head", "tail", "first", "last", "take"}

// libtorchViews share the storage of their tensor, whatever their model says
// about owning a handle.
var libtorchViews = map[string]bool{"gotch.tensor": true, "gotorch.tensor": true}

// viewOf reports whether a call makes a partial view, and of what.
func (k *keepScan) viewOf(call *ssa.Call) (parent ssa.Value, class Class, ok bool) {
	m := k.e.callModel(&call.Call)
	if m == nil {
		return nil, Class{}, false
	}
	name := ""
	if obj := calleeObj(&call.Call); obj != nil {
		name = obj.Name()
	} else if call.Call.IsInvoke() {
		name = call.Call.Method.Name()
	}
	if !slices.ContainsFunc(nameWords(name), func(w string) bool { return slices.Contains(partWords, w) }) {
		return nil, Class{}, false // all of the parent
	}
	for _, eff := range m.Effects {
		if eff.Place.Kind != rules.PlaceResult {
			continue
		}
		c := Class{}
		if eff.Class != nil {
			c = classOf(eff.Class, eff.Release)
		} else if got, ok := k.elem(resultType(call, eff.Place.Index)); ok {
			c = got.class
		}
		switch {
		case eff.Op == rules.OpView:
			p := operand(&call.Call, eff.Of)
			if p == nil || c.Name == "" || strings.HasSuffix(name, "Out") {
				return nil, Class{}, false
			}
			return p, c, true
		case eff.Op == rules.OpAcquire && libtorchViews[c.Name] && call.Call.Signature().Recv() != nil && len(call.Call.Args) > 0:
			return call.Call.Args[0], c, !strings.HasSuffix(name, "Out") && !strings.Contains(name, "Copy") && !strings.HasPrefix(name, "IndexAdd")
		}
	}
	return nil, Class{}, false
}

func resultType(call *ssa.Call, i int) types.Type {
	res := call.Call.Signature().Results()
	if i >= res.Len() {
		return nil
	}
	return res.At(i).Type()
}

// operand is the argument that a place names.
func operand(c *ssa.CallCommon, p rules.Place) ssa.Value {
	i := -1
	switch p.Kind {
	case rules.PlaceRecv:
		if c.IsInvoke() {
			return c.Value
		}
		i = 0
	case rules.PlaceParam:
		i = p.Index
		if !c.IsInvoke() && c.Signature().Recv() != nil {
			i++
		}
	}
	if i < 0 || i >= len(c.Args) {
		return nil
	}
	return c.Args[i]
}

// views reports partial views that outlive their parent's use: kept in a
// long-lived container or field, or returned by a function that gives up the
// parent itself. Whoever wants a part for long copies it.
func (k *keepScan) views() []Verdict {
	var list []Verdict
	for _, fn := range k.e.funcs {
		if isTestFunc(top(fn)) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(*ssa.Call)
				if !ok {
					continue
				}
				parent, class, ok := k.viewOf(call)
				if !ok || k.shareLife(call, parent) {
					continue
				}
				name, sure := k.keptView(fn, call, parent)
				if name == "" {
					continue
				}
				tier := report.Likely
				if !sure {
					tier = report.Possible
				}
				list = append(list, Verdict{
					Kind: Pinned, Tier: tier, Class: class, Callee: k.e.sourceName(call), Function: funcName(fn),
					Pos: k.e.callPos(call), End: k.e.callEnd(call), Acquired: k.e.callPos(call), Name: name,
				})
			}
		}
	}
	return list
}

// shareLife reports whether the parent lives as long as the view anyhow: it is
// in a field or variable itself.
func (k *keepScan) shareLife(call *ssa.Call, parent ssa.Value) bool {
	switch x := k.parentOf(parent).(type) {
	case *ssa.FieldAddr, *ssa.Global:
		return true
	case *ssa.UnOp:
		switch x.X.(type) {
		case *ssa.FieldAddr, *ssa.Global, *ssa.IndexAddr:
			return true
		}
	case *ssa.Alloc:
		return k.stashed(x)
	case *ssa.Call, *ssa.Extract:
		return k.stashed(x.(ssa.Value))
	}
	return false
}

// parentOf is where a view's parent comes from; a struct handle is given by the
// address of the variable that it was assigned to.
func (k *keepScan) parentOf(v ssa.Value) ssa.Value {
	v = k.origin(v)
	if a, ok := v.(*ssa.Alloc); ok {
		if s := keepStore(a); s != nil {
			if from := k.origin(s.Val); from != nil {
				if _, isParam := from.(*ssa.Parameter); isParam {
					return from
				}
				if u, isLoad := from.(*ssa.UnOp); isLoad {
					return u // a copy of a field
				}
			}
		}
	}
	return v
}

// stashed reports whether a value is itself put somewhere that lasts.
func (k *keepScan) stashed(v ssa.Value) bool {
	if v.Referrers() == nil {
		return false
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Val != v {
				continue
			}
			if _, isLocal := ref.Addr.(*ssa.Alloc); !isLocal {
				if ia, ok := ref.Addr.(*ssa.IndexAddr); ok {
					if a, ok := ia.X.(*ssa.Alloc); ok && a.Comment == "varargs" {
						continue
					}
				}
				return true
			}
		case *ssa.MapUpdate:
			return true
		case *ssa.UnOp:
			for _, r := range *ref.Referrers() {
				if st, ok := r.(*ssa.Store); ok && st.Val == ref {
					if _, isField := st.Addr.(*ssa.FieldAddr); isField {
						return true
					}
				}
			}
		}
	}
	return false
}

// keptView says where a view goes that outlives the function, and whether that
// is sure.
func (k *keepScan) keptView(fn *ssa.Function, call *ssa.Call, parent ssa.Value) (string, bool) {
	for _, h := range k.order {
		for _, ev := range h.adds {
			if ev.fn == fn && k.value(ev.elem).handle == ssa.Value(call) {
				if h.cell != nil && !k.cellLives(h.cell) || ev.ref.base != nil && k.fresh(ev.ref.base) {
					return "", false
				}
				return k.placeName(ev), true
			}
		}
		for _, ev := range h.events {
			if ev.op == keepSlot && ev.fn == fn && k.value(ev.elem).handle == ssa.Value(call) && h.cell == nil {
				return k.placeName(ev), true
			}
		}
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Store:
				fa, ok := in.Addr.(*ssa.FieldAddr)
				g, isGlobal := in.Addr.(*ssa.Global)
				if !ok && !isGlobal || k.value(in.Val).handle != ssa.Value(call) {
					continue
				}
				if isGlobal {
					return g.Name(), true
				}
				if k.fresh(fa.X) {
					continue
				}
				ref, _ := k.address(fa)
				_, isParam := k.parentOf(parent).(*ssa.Parameter)
				return k.placeName(&keepEvent{ref: ref}), !isParam // the caller may keep the parent anyhow
			case *ssa.Return:
				for _, r := range in.Results {
					if k.value(r).handle == ssa.Value(call) && !isFromLiteral(fn) {
						_, isParam := k.parentOf(parent).(*ssa.Parameter)
						if isParam {
							return "the result", false // a helper: its caller may use it and be done
						}
						if k.releasedLater(k.origin(parent), call, map[ssa.Value]bool{}) || k.releasedLater(parent, call, map[ssa.Value]bool{}) {
							return "the result", true
						}
					}
				}
			}
		}
	}
	return "", false
}

func isFromLiteral(fn *ssa.Function) bool { return fn.Parent() != nil }

// limits reports a compile cache whose bound is taken off.
//
//	exec.SetMaxCache(-1)
func (k *keepScan) limits() []Verdict {
	var list []Verdict
	for _, fn := range k.e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(*ssa.Call)
				if !ok {
					continue
				}
				obj := calleeObj(&call.Call)
				if obj == nil && call.Call.IsInvoke() {
					obj = call.Call.Method
				}
				if obj == nil || !slices.Contains(limitMethods, obj.Name()) || len(call.Call.Args) == 0 {
					continue
				}
				class, ok := k.compiled(obj, &call.Call)
				if !ok || !unlimited(call.Call.Args[len(call.Call.Args)-1]) {
					continue
				}
				list = append(list, Verdict{
					Kind: Grows, Tier: report.Likely, Class: class, Function: funcName(fn), Pos: k.e.callPos(call), End: k.e.callEnd(call),
					Acquired: k.e.callPos(call), Name: k.e.calleeName(&call.Call), Detail: "no limit",
				})
			}
		}
	}
	return list
}

// limitMethods set how many compiled programs an executor keeps.
var limitMethods = []string{"SetMaxCache", "WithMaxCache", "SetCacheLimit", "SetMaxCacheSize", "SetCacheSize", "WithCacheLimit"}

// compiled reports whether a method belongs to a library or type that holds
// compiled programs.
func (k *keepScan) compiled(obj *types.Func, c *ssa.CallCommon) (Class, bool) {
	recv := obj.Signature().Recv()
	if recv == nil || obj.Pkg() == nil {
		return Class{}, false
	}
	if got, ok := k.elem(recv.Type()); ok && got.class.Name != "" {
		return got.class, true
	}
	return Class{Name: "compiled", Noun: "compiled program", Verb: "finalized"}, k.e.models.Package(obj.Pkg().Path())
}

// unlimited reports whether a limit is none: negative, or the largest number.
func unlimited(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return false
	}
	n, exact := constant.Int64Val(c.Value)
	return exact && (n < 0 || n >= 1<<31-1)
}
