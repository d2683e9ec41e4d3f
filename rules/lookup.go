// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Package reports whether s has models for the package of an import path. The
// major version in a path (/v2) does not matter.
func (s *Set) Package(path string) bool {
	n := normal(path)
	if len(s.lib.packages[n]) > 0 {
		return true // without reading the stubs
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.packages[n] != nil
}

func (s *Set) pkg(path string) *pkg {
	s.mu.RLock()
	p, ok := s.packages[path]
	s.mu.RUnlock()
	if ok {
		return p // by far the most frequent case
	}
	n := normal(path)
	s.mu.RLock()
	p, ok = s.packages[n]
	s.mu.RUnlock()
	if ok {
		return p
	}
	if len(s.lib.packages[n]) == 0 {
		return nil // With has loaded what its files are for
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load(n, func(*File) *ErrorList { return new(ErrorList) })
}

// normal cuts major versions, a vendor directory and the name of a test
// variant off an import path.
func normal(path string) string {
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		path = path[i+len("/vendor/"):]
	}
	path, _, _ = strings.Cut(path, " [")
	for i := strings.Index(path, "/v"); i >= 0; {
		end := i + 2
		for end < len(path) && isDigit(path[end]) {
			end++
		}
		if end > i+2 && (end == len(path) || path[end] == '/') {
			path = path[:i] + path[end:]
		} else {
			i++
		}
		next := strings.Index(path[i:], "/v")
		if next < 0 {
			break
		}
		i += next
	}
	return path
}

// Func returns the model of a function or method, fitted to its signature, or
// nil. Instances of generic functions have the model of their origin, interface
// methods that of the interface. In order: an entry for the name, a pattern,
// and what follows from the resource types in the signature.
func (s *Set) Func(fn *types.Func) *Func {
	if fn == nil || fn.Pkg() == nil {
		return nil // error.Error has no package
	}
	if name, ok := cName(fn.Name()); ok {
		return s.C(name)
	}
	p := s.pkg(fn.Pkg().Path())
	if p == nil {
		return nil // not a modelled library
	}
	fn = fn.Origin()
	sig := fn.Signature()
	recv := ""
	if r := sig.Recv(); r != nil {
		tn := typeName(r.Type())
		if tn == nil {
			return nil // a method of an interface literal
		}
		recv = tn.Name()
	}
	return s.lookup(p, fn.Pkg(), recv, fn.Name(), sig)
}

// Method returns the model of a method called through a static type: that of
// Func, or, for a method that the type has from an interface of another package
// that it embeds (io.Closer), what the model of the type says.
func (s *Set) Method(recv types.Type, fn *types.Func) *Func {
	if f := s.Func(fn); f != nil || fn == nil {
		return f
	}
	tn := typeName(recv)
	if tn == nil || tn.Pkg() == nil {
		return nil // a method of an interface literal
	}
	p := s.pkg(tn.Pkg().Path())
	if p == nil || fn.Pkg() == tn.Pkg() {
		return nil // not a modelled library, or Func has looked there
	}
	return s.lookup(p, tn.Pkg(), tn.Name(), fn.Name(), fn.Signature())
}

// Var returns the model of a package variable: of function type, or static.
func (s *Set) Var(v *types.Var) *Func {
	if v == nil || v.Pkg() == nil {
		return nil
	}
	p := s.pkg(v.Pkg().Path())
	if p == nil || v.Parent() != v.Pkg().Scope() {
		return nil // not a modelled library, or a local variable or field
	}
	sig, ok := v.Type().Underlying().(*types.Signature)
	if !ok {
		return p.funcs[v.Name()]
	}
	return s.lookup(p, v.Pkg(), "", v.Name(), sig)
}

// C returns the model of a C function, by its name in C or by the name that
// cgo gives it (_Cfunc_NAME, _C2func_NAME).
func (s *Set) C(name string) *Func {
	if n, ok := cName(name); ok {
		name = n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loadC(name)
	return s.c.funcs[name]
}

// CType returns the model of a C type, by its name in C or by the name that
// cgo gives it (_Ctype_NAME).
func (s *Set) CType(name string) *Type {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cType(strings.TrimPrefix(name, "_Ctype_"))
}

// Type returns the model of a named type, or nil.
func (s *Set) Type(tn *types.TypeName) *Type {
	if tn == nil || tn.Pkg() == nil {
		return nil
	}
	if strings.HasPrefix(tn.Name(), "_Ctype_") {
		return s.CType(tn.Name())
	}
	p := s.pkg(tn.Pkg().Path())
	if p == nil {
		return nil
	}
	return p.types[tn.Name()]
}

// cName cuts the prefix of cgo off a function name.
func cName(name string) (string, bool) {
	if !strings.HasPrefix(name, "_C") {
		return name, false
	}
	if n, ok := strings.CutPrefix(name, "_Cfunc_"); ok {
		return n, true
	}
	return strings.CutPrefix(name, "_C2func_")
}

// typeName is the name of a type or of what it points to; nil if it has none.
func typeName(t types.Type) *types.TypeName {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Origin().Obj()
	}
	return nil
}

// lookup finds the model of a function and fits it to the real signature.
func (s *Set) lookup(p *pkg, tpkg *types.Package, recv, name string, sig *types.Signature) *Func {
	local := name
	if recv != "" {
		local = recv + "." + name
	}
	m := p.funcs[local]
	if m != nil && m.fits(sig) {
		return m // the fast path: no text is made
	}
	real := newShape(tpkg, sig)
	if m != nil {
		return s.cached(tpkg, local, real, func() *Func { return s.bind(m, real, m.Key) })
	}
	return s.cached(tpkg, local, real, func() *Func {
		key := tpkg.Path() + "." + name
		if recv != "" {
			key = fmt.Sprintf("(%s.%s).%s", tpkg.Path(), recv, name)
		}
		for _, m := range p.patterns {
			if r := baseType(m.Recv.Type); (r == recv || r == "_" && recv != "") && m.Match.MatchString(name) && m.covers(real) {
				return s.bind(m, real, key)
			}
		}
		return s.byTypes(p, tpkg, recv, name, real, key)
	})
}

// cached keeps fitted models by their text, not by their objects: those would
// hold on to the type information of packages long analysed.
func (s *Set) cached(tpkg *types.Package, local string, real *shape, make func() *Func) *Func {
	key := tpkg.Path() + "\x00" + local + "\x00" + real.String()
	if f, ok := s.bound.Load(key); ok {
		return f.(*Func)
	}
	f, _ := s.bound.LoadOrStore(key, make())
	return f.(*Func)
}

// byTypes is the model that follows from the resource types of a signature:
// a method that the type names as its release, or a result of an owned type.
func (s *Set) byTypes(p *pkg, tpkg *types.Package, recv, name string, real *shape, key string) *Func {
	f := &Func{Key: key, Params: real.params, Results: real.results}
	if recv != "" {
		f.Recv.Type = recv
	}
	if t := p.types[recv]; t != nil && slices.Contains(t.Releases, name) {
		f.Source = t.Source
		f.Effects = []Effect{{Op: OpRelease, Class: t.Class, Place: Place{Kind: PlaceRecv}, Pos: t.Pos}}
		return f
	}
	if !token.IsExported(name) {
		return nil // inside the library; its callers see the exported ones
	}
	for i, t := range real.resultTypes {
		rt, path := s.handle(t)
		if rt == nil || !rt.Owned || typePkg(t) != tpkg.Path() {
			continue
		}
		f.Source = rt.Source
		f.Effects = append(f.Effects, Effect{
			Op: OpAcquire, Class: rt.Class, Place: Place{Kind: PlaceResult, Index: i, Path: path}, Pos: rt.Pos,
		})
	}
	if f.Effects == nil {
		return nil
	}
	f.Success, f.StatusResult, f.StatusValue = statusOf(p.success, real.results)
	return f
}

// handle finds the resource type in t: itself, what it points to, or the
// elements of a slice, array or map.
func (s *Set) handle(t types.Type) (*Type, []string) {
	var path []string
	for range 3 { // a slice of maps of handles is as deep as libraries go
		if tn := typeName(t); tn != nil {
			if rt := s.Type(tn); rt != nil {
				return rt, path
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		default:
			return nil, nil
		}
		path = append(path, "[]")
	}
	return nil, nil
}

// typePkg is the import path of the named type inside pointers and containers.
func typePkg(t types.Type) string {
	for range 4 {
		if tn := typeName(t); tn != nil && tn.Pkg() != nil {
			return tn.Pkg().Path()
		}
		switch u := t.Underlying().(type) {
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		default:
			return ""
		}
	}
	return ""
}
