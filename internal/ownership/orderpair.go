// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// siblings pairs what a release method, or a function that gets both, finds
// when it is called: of the classes that it releases, one is always made from
// the other, and there is one of that other.
//
//	func (s *session) Close() {
//		llama.ModelFree(s.model)
//		llama.Free(s.ctx)
//	}
func (h *habits) siblings(fn *ssa.Function, known []*kinship) []*kinship {
	found := map[string][]end{}
	var names []string
	eachCall(fn, func(in ssa.CallInstruction) {
		for _, e := range h.allEnds(in.Common()) {
			if !e.at.known() || !fromOutside(e.at) {
				e.at = e.in
			}
			if !e.at.known() || !fromOutside(e.at) {
				continue // made here
			}
			if found[e.class.Name] == nil {
				names = append(names, e.class.Name)
			}
			if !slices.ContainsFunc(found[e.class.Name], func(o end) bool { return o.at == e.at }) {
				found[e.class.Name] = append(found[e.class.Name], e)
			}
		}
	})
	if len(names) < 2 {
		return nil
	}
	var list []*kinship
	for _, child := range names {
		for _, parent := range h.parentClasses(child) {
			if len(found[parent]) != 1 {
				continue // which of them it was made from cannot be told
			}
			p := found[parent][0]
			for _, c := range found[child] {
				if c.at.root == p.at.root || isParameter(c.at.root) && isParameter(p.at.root) {
					k := &kinship{child: []spot{c.at}, class: c.class, parent: []spot{p.at}}
					for _, other := range known {
						if other.birth != nil && slices.ContainsFunc(other.child, c.at.covers) {
							k.renewals = append(k.renewals, other.birth)
						}
					}
					list = append(list, k)
				}
			}
		}
	}
	return list
}

// fromOutside reports whether a spot was there when the function began.
func fromOutside(s spot) bool {
	if _, ok := s.root.(*ssa.Global); ok {
		return true
	}
	return isParameter(s.root)
}

func isParameter(v ssa.Value) bool {
	_, ok := v.(*ssa.Parameter)
	return ok
}

// allEnds is endsOf with the release methods of the user's types. Their class
// is the type.
func (h *habits) allEnds(c *ssa.CallCommon) []end {
	if h.callModel(c) != nil {
		return h.endsOf(c)
	}
	ops := operands(c)
	if len(ops) == 0 || c.IsInvoke() || c.StaticCallee() == nil || c.Signature().Recv() == nil {
		return nil // not a method whose effect is known
	}
	n := namedOf(ops[0].Type())
	if n == nil || n.Obj().Pkg() == nil {
		return nil
	}
	releases, class := h.releasesArg(c, h.localCallee(c), 0)
	if !releases {
		return nil
	}
	class.Name = typeClass(n)
	return []end{{class: class, at: h.spotOf(ops[0]), in: h.containerOf(ops[0])}}
}

// typeClass names a type of the user's among the classes.
func typeClass(n *types.Named) string {
	return "type:" + n.Origin().Obj().Pkg().Path() + "." + n.Obj().Name()
}

// typeParents adds the types that constructors of this package and of those it
// imports make children of.
func (h *habits) typeParents() {
	for _, fn := range h.funcs {
		if fn.Parent() == nil {
			h.addTypes(fn.Signature, h.orderOf(fn))
		}
	}
	for _, imp := range h.pass.Pkg.Imports() {
		if !h.analyzed(imp) {
			continue // no facts
		}
		scope := imp.Scope()
		for _, name := range scope.Names() { // sorted
			switch obj := scope.Lookup(name).(type) {
			case *types.Func:
				h.addFact(obj)
			case *types.TypeName:
				if n, ok := obj.Type().(*types.Named); ok {
					for i := range n.NumMethods() {
						h.addFact(n.Method(i))
					}
				}
			}
		}
	}
}

func (h *habits) addFact(obj *types.Func) {
	if f := h.fact(obj); f != nil {
		h.addTypes(obj.Signature(), f.Order)
	}
}

func (h *habits) addTypes(sig *types.Signature, facts []OrderFact) {
	for _, o := range facts {
		params := []types.Type{}
		if sig.Recv() != nil {
			params = append(params, sig.Recv().Type())
		}
		for i := range sig.Params().Len() {
			params = append(params, sig.Params().At(i).Type())
		}
		if o.Result >= sig.Results().Len() || o.Param >= len(params) {
			continue
		}
		child, parent := namedOf(sig.Results().At(o.Result).Type()), namedOf(params[o.Param])
		if child == nil || parent == nil {
			continue
		}
		c, p := typeClass(child), typeClass(parent)
		if !slices.Contains(h.parents[c], p) {
			h.parents[c] = append(h.parents[c], p)
		}
	}
}

// parentClasses are the classes that instances of a class are made from, as
// the models of its library or the constructors of its type say.
func (h *habits) parentClasses(child string) []string {
	if h.parents == nil {
		h.parents = map[string][]string{}
		for _, f := range h.models.Files() {
			for _, m := range f.Funcs {
				h.addParents(f, m)
			}
		}
		h.typeParents()
	}
	return h.parents[child]
}

func (h *habits) addParents(f *rules.File, m *rules.Func) {
	for _, o := range m.Effects {
		if o.Op != rules.OpOrder {
			continue
		}
		child, parent := declaredClass(f, m, o.Place), declaredClass(f, m, o.Of)
		for _, eff := range m.Effects {
			if eff.Op == rules.OpAcquire && eff.Place.String() == o.Place.String() && eff.Class != nil {
				child = eff.Class.Name
			}
		}
		if child != "" && parent != "" && !slices.Contains(h.parents[child], parent) {
			h.parents[child] = append(h.parents[child], parent)
		}
	}
}

// declaredClass is the class of the type that a stub gives a place.
func declaredClass(f *rules.File, m *rules.Func, p rules.Place) string {
	var text string
	switch {
	case p.Kind == rules.PlaceRecv:
		text = m.Recv.Type
	case p.Kind == rules.PlaceParam && p.Index < len(m.Params):
		text = m.Params[p.Index].Type
	case p.Kind == rules.PlaceResult && p.Index < len(m.Results):
		text = m.Results[p.Index].Type
	}
	name := token.IsIdentifier
	i := 0
	for i < len(text) && !name(text[i:i+1]) {
		i++ // stars
	}
	j := i
	for j < len(text) && (name(text[i : j+1])) {
		j++
	}
	for _, t := range f.Types {
		if t.Class != nil && (t.Key == text[i:j] || hasSuffixName(t.Key, text[i:j])) {
			return t.Class.Name
		}
	}
	return ""
}

// hasSuffixName reports whether a key ends in .name.
func hasSuffixName(key, name string) bool {
	n := len(key) - len(name)
	return name != "" && n > 0 && key[n:] == name && key[n-1] == '.'
}
