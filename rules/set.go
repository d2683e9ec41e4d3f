// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Set is a collection of models: the built-in stubs, which are read when they
// are first asked for, and files given to With. It may be used from several
// goroutines, and what it answers never changes.
type Set struct {
	lib   *library
	files []*File // given to With; a later one wins

	mu       sync.RWMutex
	classes  map[string]*Class
	packages map[string]*pkg // by normal(import path); nil: not modelled
	c        *pkg            // package C, as far as it was asked for
	cFiles   map[string]bool // built-in files that c has

	bound sync.Map // string → *Func: models fitted to a signature
}

// A pkg is what the models say of one Go package, or of C.
type pkg struct {
	funcs    map[string]*Func // Name or Type.Method
	patterns []*Func
	types    map[string]*Type
	success  []successDefault
}

// Default returns the set of built-in models. The tests see to it that every
// built-in stub parses, so that there is no error.
func Default() *Set { return builtin() }

var builtin = sync.OnceValue(func() *Set { return newSet(newLibrary(), nil) })

func newSet(lib *library, files []*File) *Set {
	return &Set{
		lib: lib, files: files,
		classes: map[string]*Class{}, packages: map[string]*pkg{},
		c: newPkg(), cFiles: map[string]bool{},
	}
}

func newPkg() *pkg {
	return &pkg{funcs: map[string]*Func{}, types: map[string]*Type{}}
}

// With returns a copy of s with more files. Where a file says the same key as
// s, the file wins; of two files, the later one. The error, if any, is an
// ErrorList; the set is usable even then.
func (s *Set) With(files ...*File) (*Set, error) {
	t := newSet(s.lib, slices.Concat(s.files, files))
	for _, f := range t.files {
		for _, c := range f.Classes {
			t.classes[c.Name] = c
		}
	}
	var errs ErrorList
	report := func(f *File) *ErrorList {
		if slices.Contains(files, f) {
			return &errs
		}
		return new(ErrorList) // told when it was added
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.files {
		for _, p := range f.Packages {
			t.load(normal(p.Path), report)
		}
		if f.C {
			g := f.clone()
			for _, typ := range g.Types {
				t.c.types[typ.name()] = typ
			}
			t.prepare(g, t.cType, report(f))
			t.c.add(g, true)
		}
	}
	errs.sort()
	return t, errs.Err()
}

// load builds the models of one import path. The caller has locked s.
func (s *Set) load(path string, report func(*File) *ErrorList) *pkg {
	if p, ok := s.packages[path]; ok {
		return p
	}
	var files []*File
	for _, name := range s.lib.packages[path] {
		files = append(files, s.lib.file(name))
	}
	for _, f := range s.files {
		if slices.ContainsFunc(f.Packages, func(p Package) bool { return normal(p.Path) == path }) {
			files = append(files, f)
		}
	}
	var p *pkg
	if len(files) > 0 {
		p = newPkg()
	}
	clones := make([]*File, len(files))
	for i, f := range files {
		clones[i] = f.clone()
		for _, t := range clones[i].Types {
			p.types[t.name()] = t
		}
	}
	for i, f := range clones {
		s.prepare(f, func(name string) *Type { return p.types[name] }, report(files[i]))
		p.add(f, true)
	}
	s.packages[path] = p
	return p
}

// cType finds a C type. The caller has locked s.
func (s *Set) cType(name string) *Type {
	s.loadC(name)
	return s.c.types[name]
}

// loadC reads the built-in file that has a C name, if there is one. The caller
// has locked s.
func (s *Set) loadC(name string) {
	file := s.lib.cFile(name)
	if file == "" || s.cFiles[file] {
		return
	}
	s.cFiles[file] = true
	f := s.lib.file(file).clone()
	own := map[string]*Type{}
	for _, t := range f.Types {
		own[t.name()] = t
	}
	s.prepare(f, func(name string) *Type { return own[name] }, new(ErrorList))
	s.c.add(f, false)
}

// add puts the declarations of f where they are found. If f does not win, what
// is there already stays.
func (p *pkg) add(f *File, wins bool) {
	p.success = slices.Concat(f.success, p.success)
	var patterns []*Func
	for _, fn := range f.Funcs {
		if fn.Match != nil {
			patterns = append(patterns, fn)
			continue
		}
		for _, key := range fn.keys() {
			local := localKey(key, fn.pkgPath())
			if p.funcs[local] == nil || wins {
				p.funcs[local] = fn
			}
		}
	}
	p.patterns = slices.Concat(patterns, p.patterns)
	for _, t := range f.Types {
		if p.types[t.name()] == nil || wins {
			p.types[t.name()] = t
		}
	}
}

// name is the key of t without the package.
func (t *Type) name() string { return t.Key[strings.LastIndexByte(t.Key, '.')+1:] }

// clone copies what prepare changes.
func (f *File) clone() *File {
	g := *f
	g.Types = make([]*Type, len(f.Types))
	for i, t := range f.Types {
		u := *t
		g.Types[i] = &u
	}
	g.Funcs = make([]*Func, len(f.Funcs))
	for i, fn := range f.Funcs {
		u := *fn
		u.Effects = slices.Clone(fn.Effects)
		g.Funcs[i] = &u
	}
	return &g
}

// class finds a class. The caller has locked s.
func (s *Set) class(name string) *Class {
	if c := s.classes[name]; c != nil {
		return c
	}
	file := s.lib.classFile(name)
	if file == "" {
		return nil
	}
	for _, c := range s.lib.file(file).Classes {
		if s.classes[c.Name] == nil { // else a file of With replaces it
			s.classes[c.Name] = c
		}
	}
	return s.classes[name]
}

// prepare replaces the named classes of f by those of s, and gives the effects
// of a stub that name no class that of the type at their place. The caller has
// locked s.
func (s *Set) prepare(f *File, typ func(name string) *Type, errs *ErrorList) {
	s.resolve(f, errs)
	for _, fn := range f.Funcs {
		for i := range fn.Effects {
			e := &fn.Effects[i]
			if e.Class != nil || e.Place.All || len(e.Place.Path) > 0 && e.Place.Path[0] != "[]" {
				continue // known, or only by the real types
			}
			name := elemType(fn.typeAt(e.Place))
			if f.C {
				name = strings.TrimPrefix(name, "C.")
			}
			if t := typ(name); t != nil {
				e.Class = s.class(t.Class.Name)
				continue
			}
			if e.Op == OpAcquire || e.Op == OpRelease || e.Op == OpFill || e.Op == OpGive {
				errs.add(e.Pos, e.Op.String()+" without a class, of the type "+fn.typeAt(e.Place),
					"a class before the place, as the type is not declared a resource in this file")
			}
		}
	}
}

// resolve replaces the named classes of f by those of f itself or of s. The
// caller has locked s.
func (s *Set) resolve(f *File, errs *ErrorList) {
	own := map[string]*Class{}
	for _, c := range f.Classes {
		own[c.Name] = c
	}
	find := func(name string, at *Error) *Class {
		c := s.class(name)
		if c == nil {
			c = own[name]
		}
		if c == nil {
			errs.add(at.Pos, "the unknown class "+name,
				fmt.Sprintf(`a class that is known, or a line //gpumem:class %s noun="…" verb=… before its use`, name))
		}
		return c
	}
	for _, t := range f.Types {
		if c := find(t.Class.Name, &Error{Pos: t.Pos}); c != nil {
			t.Class = c
		}
	}
	for _, fn := range f.Funcs {
		for i := range fn.Effects {
			e := &fn.Effects[i]
			if e.Class == nil {
				continue // that of the type at the place
			}
			if c := find(e.Class.Name, &Error{Pos: e.Pos}); c != nil {
				e.Class = c
			}
		}
	}
	for _, c := range f.Classes {
		for _, name := range slices.Concat(c.Accepts, c.Before) {
			if s.lib.classFile(name) == "" { // else it is known; no need to read it
				find(name, &Error{Pos: c.Pos})
			}
		}
	}
}

// typeAt is the type at the root of a place, as the stub writes it.
func (f *Func) typeAt(p Place) string {
	switch p.Kind {
	case PlaceRecv:
		return f.Recv.Type
	case PlaceParam:
		return f.Params[p.Index].Type
	case PlaceResult:
		return f.Results[p.Index].Type
	}
	return ""
}

// elemType is the named type inside pointers, slices and maps.
func elemType(s string) string {
	s = strings.TrimPrefix(s, "...")
	for {
		switch {
		case strings.HasPrefix(s, "*"):
			s = s[1:]
		case strings.HasPrefix(s, "map["), strings.HasPrefix(s, "["):
			_, s, _ = strings.Cut(s, "]")
		default:
			s, _, _ = strings.Cut(s, "[")
			return s
		}
	}
}

// ClassByName returns the class of a name, or nil.
func (s *Set) ClassByName(name string) *Class {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.class(name)
}

// Classes returns all classes, sorted by name. It reads every built-in stub.
func (s *Set) Classes() []*Class {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lib.index()
	for name := range s.lib.classes {
		s.class(name)
	}
	var list []*Class
	for _, name := range slices.Sorted(maps.Keys(s.classes)) {
		list = append(list, s.classes[name])
	}
	return list
}

// Files returns the built-in stub files and those given to With, in their
// order. It reads every built-in stub. The files are not to be changed.
func (s *Set) Files() []*File {
	var list []*File
	for _, name := range s.lib.names {
		list = append(list, s.lib.file(name))
	}
	return append(list, s.files...)
}
