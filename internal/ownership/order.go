// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// A kinship is one child and the parent that must outlive it. The parent is
// either an instance (the model of a context) or whatever is in force: the
// environment of the process, the current context.
type kinship struct {
	birth   *ssa.Call // what made the child; nil if it was there on entry
	child   []spot
	class   Class
	callee  string
	parent  []spot
	ambient string // class of a parent that no spot names

	renewals []*ssa.Call // what puts another child at the same spots
}

// orders reports parents that are released before their children (GM505): the
// child is released or used afterwards, on some path of the same function.
func (h *habits) orders(fn *ssa.Function) []Verdict {
	var list []Verdict
	seen := map[ssa.CallInstruction]bool{}
	for _, k := range h.kinships(fn) {
		for _, bad := range h.disorder(fn, k) {
			if seen[bad.parent] {
				continue // one release in the wrong place is one mistake
			}
			seen[bad.parent] = true
			list = append(list, h.orderVerdict(fn, k, bad))
		}
	}
	return list
}

func (h *habits) orderVerdict(fn *ssa.Function, k *kinship, bad disorder) Verdict {
	v := Verdict{
		Kind: ParentFirst, Tier: report.Likely, Pos: h.posOf(bad.parent), Function: funcName(fn),
		Class: k.class, Callee: k.callee, Name: bad.class.Noun, Failed: bad.class.Verb,
		Other: h.callName(bad.child), OtherAt: h.posOf(bad.child), Nil: bad.used,
	}
	if call, ok := bad.parent.(*ssa.Call); ok {
		v.End = h.callEnd(call)
	}
	if k.ambient != "" {
		v.Class = bad.what
	}
	if k.birth != nil {
		v.Acquired = h.callPos(k.birth)
		v.Trace = append(v.Trace, report.Step{Pos: v.Acquired, Text: "acquired here"})
	}
	v.Trace = append(v.Trace,
		report.Step{Pos: v.Pos, Text: "its parent is " + bad.class.Verb + " here"},
		report.Step{Pos: v.OtherAt, Text: "and it is needed again here"})
	_, v.Always = bad.parent.(*ssa.Defer)
	return v
}

// kinships lists the parents and children that fn knows of.
func (h *habits) kinships(fn *ssa.Function) []*kinship {
	var list []*kinship
	ends := map[string]bool{} // classes of parents in force that fn releases
	eachCall(fn, func(in ssa.CallInstruction) {
		for _, end := range h.endsOf(in.Common()) {
			ends[end.class.Name] = true
		}
		call, ok := in.(*ssa.Call)
		if !ok {
			return
		}
		list = append(list, h.bornOf(call)...)
	})
	list = append(list, h.inForce(fn, ends)...)
	list = append(list, h.siblings(fn, list)...)
	return list
}

// bornOf lists the children that a call makes, with their parents: by the
// model, or by what a function of the package does with its arguments.
func (h *habits) bornOf(call *ssa.Call) []*kinship {
	c := &call.Call
	var list []*kinship
	if m := h.callModel(c); m != nil {
		for _, eff := range m.Effects {
			if eff.Op != rules.OpOrder {
				continue
			}
			parent := h.placeOf(c, eff.Of)
			if parent == nil {
				continue // a result: it begins as late as the child
			}
			k := &kinship{birth: call, callee: h.sourceName(call), child: h.placeSpots(call, eff.Place), parent: h.spotsOf(parent)}
			for _, a := range h.acquisitions(c) {
				k.class = a.class
			}
			list = append(list, k)
		}
		return list
	}
	for _, o := range h.orderFacts(c) {
		ops := operands(c)
		if o.Param >= len(ops) {
			continue
		}
		k := &kinship{birth: call, callee: h.sourceName(call), child: h.resultSpots(call, o.Result), class: o.Class}
		for _, a := range h.acquisitions(c) {
			if a.result == o.Result {
				k.class = a.class // the owner that it comes in
			}
		}
		for _, s := range h.spotsOf(ops[o.Param]) {
			if s.known() {
				s.path += o.ParamPath
				k.parent = append(k.parent, s)
			}
		}
		list = append(list, k)
	}
	return list
}

// placeOf is the operand that a place starts from, nil for a result.
func (h *habits) placeOf(c *ssa.CallCommon, p rules.Place) ssa.Value {
	ops := operands(c)
	i := -1
	switch p.Kind {
	case rules.PlaceRecv:
		i = 0
	case rules.PlaceParam:
		i = p.Index
		if c.IsInvoke() || c.Signature().Recv() != nil {
			i++
		}
	}
	if i < 0 || i >= len(ops) {
		return nil
	}
	return ops[i]
}

// placeSpots are the spots of what a call leaves at a place.
func (h *habits) placeSpots(call *ssa.Call, p rules.Place) []spot {
	if p.Kind == rules.PlaceResult {
		return h.resultSpots(call, p.Index)
	}
	if v := h.placeOf(&call.Call, p); v != nil && len(p.Path) == 0 {
		return []spot{h.spotOf(v)}
	}
	return nil
}

// resultSpots are the spots of a result: the register and the fields that it
// is stored in.
func (h *habits) resultSpots(call *ssa.Call, i int) []spot {
	if call.Call.Signature().Results().Len() == 1 {
		return h.spotsOf(call)
	}
	for _, ref := range *call.Referrers() {
		if x, ok := ref.(*ssa.Extract); ok && x.Index == i {
			return h.spotsOf(x)
		}
	}
	return nil
}

// spotsOf is the spot of a value and those of the fields that it is put into.
func (h *habits) spotsOf(v ssa.Value) []spot {
	list := []spot{h.spotOf(v)}
	if v.Referrers() == nil {
		return list
	}
	for _, ref := range *v.Referrers() {
		st, ok := ref.(*ssa.Store)
		if !ok || st.Val != v {
			continue
		}
		if s := h.spotOf(st.Addr); s.known() && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// An end is what a call releases.
type end struct {
	class Class
	at    spot // unknown for what is of the process
	in    spot // the container that it is an element of, if it is one
}

// endsOf lists what a call releases, as far as its model says.
func (h *habits) endsOf(c *ssa.CallCommon) []end {
	var list []end
	m := h.callModel(c)
	if m == nil {
		return nil
	}
	for _, eff := range m.Effects {
		if eff.Op != rules.OpRelease || eff.Advisory || eff.Partial {
			continue
		}
		v := h.placeOf(c, eff.Place)
		class := eff.Class
		if class == nil && v != nil {
			class = h.classOfType(v.Type())
		}
		if class == nil {
			continue // of a type that nobody modelled
		}
		e := end{class: classOf(class, nil)}
		if v != nil {
			e.at, e.in = h.spotOf(v), h.containerOf(v)
			e.at.path += pathOf(eff.Place)
		}
		list = append(list, e)
	}
	return list
}

// classOfType is the class of a handle type, or nil.
func (h *habits) classOfType(t types.Type) *rules.Class {
	n := namedOf(t)
	if n == nil {
		return nil
	}
	if typ := h.models.Type(n.Origin().Obj()); typ != nil {
		return typ.Class
	}
	return nil
}

// inForce makes a kinship for each parent in force that fn releases: the
// children are all that belong to a class which must go before it. A context
// is in force only if fn knows a single one.
func (h *habits) inForce(fn *ssa.Function, ends map[string]bool) []*kinship {
	var list []*kinship
	for _, name := range sortedKeys(ends) {
		list = append(list, &kinship{ambient: name})
	}
	for _, name := range h.processEnds(fn) {
		if !ends[name] {
			list = append(list, &kinship{ambient: name})
		}
	}
	return slices.DeleteFunc(list, func(k *kinship) bool {
		c := h.models.ClassByName(k.ambient)
		return c == nil || !c.Process && h.instances(fn, k.ambient) != 1
	})
}

// processEnds lists the classes of the process that functions of the package
// release when fn calls them.
func (h *habits) processEnds(fn *ssa.Function) []string {
	found := map[string]bool{}
	eachCall(fn, func(in ssa.CallInstruction) {
		if callee := h.localCallee(in.Common()); callee != nil && callee.Parent() == nil {
			for _, c := range h.processReleases(callee) {
				found[c] = true
			}
		}
	})
	return sortedKeys(found)
}

// instances counts the spots of a class that fn makes or releases.
func (h *habits) instances(fn *ssa.Function, class string) int {
	spots := map[spot]bool{}
	eachCall(fn, func(in ssa.CallInstruction) {
		for _, e := range h.endsOf(in.Common()) {
			if e.class.Name == class {
				spots[e.at] = true
			}
		}
		call, ok := in.(*ssa.Call)
		if !ok || h.callModel(&call.Call) == nil {
			return
		}
		for _, a := range h.acquisitions(&call.Call) {
			if a.class.Name != class {
				continue
			}
			for _, s := range h.bornSpots(call, a) {
				spots[s] = true
			}
		}
	})
	return len(spots)
}

// bornSpots are the spots that an acquisition fills.
func (h *habits) bornSpots(call *ssa.Call, a acquisition) []spot {
	switch ops := operands(&call.Call); {
	case a.path != "":
		return nil
	case a.result >= 0:
		if list := h.resultSpots(call, a.result); len(list) > 0 {
			return list[:1]
		}
	case a.param >= 0 && a.param < len(ops):
		return []spot{h.spotOf(ops[a.param])}
	}
	return nil
}

// before reports whether a class must be released before the ambient one.
func (h *habits) before(class, ambient string) bool {
	c := h.models.ClassByName(class)
	return c != nil && slices.Contains(c.Before, ambient)
}
