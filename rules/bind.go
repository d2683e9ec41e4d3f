// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"go/types"
	"slices"
	"strings"
)

// A shape is the real signature of a function in the words of a stub.
type shape struct {
	params      []Param
	results     []Param
	resultTypes []types.Type
}

func newShape(pkg *types.Package, sig *types.Signature) *shape {
	qual := func(p *types.Package) string {
		if p == pkg {
			return "" // as inside the package, where stubs are written
		}
		return p.Name()
	}
	list := func(t *types.Tuple, variadic bool) (params []Param) {
		for i := range t.Len() {
			v := t.At(i)
			typ := v.Type()
			dots := ""
			if variadic && i == t.Len()-1 {
				if s, ok := typ.(*types.Slice); ok {
					typ, dots = s.Elem(), "..."
				}
			}
			params = append(params, Param{Name: v.Name(), Type: dots + normalType(types.TypeString(typ, qual))})
		}
		return params
	}
	sh := &shape{params: list(sig.Params(), sig.Variadic()), results: list(sig.Results(), false)}
	for i := range sig.Results().Len() {
		sh.resultTypes = append(sh.resultTypes, sig.Results().At(i).Type())
	}
	return sh
}

// normalType makes spellings of one type equal.
func normalType(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "interface{}", "any"), " ", "")
}

func (sh *shape) String() string {
	var b strings.Builder
	for _, p := range sh.params {
		b.WriteString(p.Name + " " + p.Type + ",")
	}
	b.WriteByte(')')
	for _, p := range sh.results {
		b.WriteString(p.Type + ",")
	}
	return b.String()
}

// fits reports whether f can be used as it is for that signature.
func (f *Func) fits(sig *types.Signature) bool {
	if len(f.Params) != sig.Params().Len() || len(f.Results) != sig.Results().Len() {
		return false
	}
	for _, e := range f.Effects {
		if e.Place.All || e.Class == nil && e.Place.Kind == PlaceResult && len(e.Place.Path) == 0 {
			return false // to be filled in from the real types
		}
	}
	return true
}

// covers reports whether all that a pattern lists is there: parameters by name
// and type, results by type and in order.
func (f *Func) covers(real *shape) bool {
	for _, p := range f.Params {
		if !slices.ContainsFunc(real.params, func(q Param) bool {
			return (p.Name == "" || p.Name == "_" || p.Name == q.Name) && normalType(p.Type) == q.Type
		}) {
			return false
		}
	}
	i := 0
	for _, q := range real.results {
		if i < len(f.Results) && normalType(f.Results[i].Type) == q.Type {
			i++
		}
	}
	return i == len(f.Results)
}

// bind fits f to a real signature: places and conditions move to where their
// parameters and results are there, and result* becomes the results that are
// handles. Nil if something that f speaks of is not there: the library has
// changed, and a wrong model is worse than none.
func (s *Set) bind(f *Func, real *shape, key string) *Func {
	g := *f
	g.Key, g.Params, g.Results, g.Effects = key, real.params, real.results, nil
	if f.Match != nil {
		g.Match, g.Names = nil, nil
	}
	m := binding{f: f, real: real}
	if f.Success == SuccessStatus {
		g.StatusResult = m.result(f.StatusResult)
	}
	for _, e := range f.Effects {
		e.Of = m.place(e.Of)
		switch e.When.Kind {
		case CondArg, CondElems:
			e.When.Arg = m.param(e.When.Arg)
		case CondResult:
			e.When.Arg = m.result(e.When.Arg)
		}
		if !e.Place.All {
			e.Place = m.place(e.Place)
			if m.failed {
				return nil
			}
			if e.Class == nil && e.Place.Kind == PlaceResult && len(e.Place.Path) == 0 {
				if t, _ := s.handle(real.resultTypes[e.Place.Index]); t != nil {
					e.Class = t.Class
				}
			}
			g.Effects = append(g.Effects, e)
			continue
		}
		for i, typ := range real.resultTypes {
			t, path := s.handle(typ)
			if t == nil || e.Class != nil && e.Class != t.Class {
				continue // an error, a number, or a handle of another class
			}
			one := e
			one.Class = t.Class
			one.Place = Place{Kind: PlaceResult, Index: i, Path: append(path, e.Place.Path...)}
			g.Effects = append(g.Effects, one)
		}
	}
	if m.failed {
		return nil
	}
	return &g
}

// A binding maps the indices of a stub to those of a real signature.
type binding struct {
	f      *Func
	real   *shape
	failed bool
}

func (m *binding) place(p Place) Place {
	switch p.Kind {
	case PlaceParam:
		p.Index = m.param(p.Index)
	case PlaceResult:
		if !p.All {
			p.Index = m.result(p.Index)
		}
	}
	return p
}

func (m *binding) param(i int) int {
	if m.f.Match == nil && len(m.f.Params) == len(m.real.params) {
		return i // names may change, places rarely do
	}
	want := m.f.Params[i]
	for j, q := range m.real.params {
		if q.Name == want.Name && (q.Name != "" || normalType(want.Type) == q.Type) {
			return j
		}
	}
	m.failed = true
	return 0
}

func (m *binding) result(i int) int {
	if m.f.Match == nil && len(m.f.Results) == len(m.real.results) {
		return i
	}
	// The n-th result of that type.
	want := normalType(m.f.Results[i].Type)
	n := 0
	for _, r := range m.f.Results[:i] {
		if normalType(r.Type) == want {
			n++
		}
	}
	for j, r := range m.real.results {
		if r.Type != want {
			continue
		}
		if n == 0 {
			return j
		}
		n--
	}
	m.failed = true
	return 0
}
