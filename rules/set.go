// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Set is a collection of models. It does not change once it is built, but for
// a cache, and may be used from several goroutines.
type Set struct {
	files    []*File
	classes  map[string]*Class
	packages map[string]*pkg // by normal(import path)
	c        *pkg            // package C

	bound sync.Map // string → *Func: models fitted to a signature
}

// A pkg is what the models say of one Go package, or of C.
type pkg struct {
	funcs    map[string]*Func // Name or Type.Method
	patterns []*Func
	types    map[string]*Type
	success  []successDefault
}

//go:embed stubs/*.gpumem
var stubs embed.FS

var builtin = sync.OnceValues(func() (*Set, error) {
	var files []*File
	var errs []error
	names, err := fs.Glob(stubs, "stubs/*.gpumem")
	if err != nil {
		return new(Set), err
	}
	for _, name := range names {
		src, err := stubs.ReadFile(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		f, err := Parse(name, src)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		files = append(files, f)
	}
	set, err := new(Set).With(files...)
	if err != nil {
		errs = append(errs, err)
	}
	return set, errors.Join(errs...)
})

// Default is the set of built-in models, parsed once. It has no error: the
// tests see to it that every built-in stub parses.
func Default() *Set {
	set, _ := builtin()
	return set
}

// With returns a copy of s with more files. Where a file says the same key as
// s, the file wins. The error, if any, is an ErrorList of references to
// classes that nobody declares; the set is usable even then.
func (s *Set) With(files ...*File) (*Set, error) {
	t := &Set{classes: map[string]*Class{}, packages: map[string]*pkg{}, c: newPkg()}
	t.files = slices.Concat(s.files, files)
	for _, f := range t.files {
		for _, c := range f.Classes {
			t.classes[c.Name] = c
		}
	}
	var errs ErrorList
	for i, f := range t.files {
		old := i < len(s.files)
		f = f.clone()
		// Classes may be replaced by a later file, so that old references are
		// resolved again, but they cannot be missing.
		var fresh ErrorList
		t.resolve(f, &fresh)
		t.infer(f, &fresh)
		if !old {
			errs = append(errs, fresh...)
		}
		t.index(f)
	}
	errs.sort()
	return t, errs.Err()
}

func newPkg() *pkg {
	return &pkg{funcs: map[string]*Func{}, types: map[string]*Type{}}
}

// clone copies what resolve and infer will change.
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

// resolve replaces the named classes of f by those of s or of f itself.
func (s *Set) resolve(f *File, errs *ErrorList) {
	own := map[string]*Class{}
	for _, c := range f.Classes {
		own[c.Name] = c
	}
	find := func(c *Class) (*Class, bool) {
		if c == nil {
			return nil, true // the class of the type at the place
		}
		if d, ok := s.classes[c.Name]; ok && own[c.Name] == nil {
			return d, true
		}
		if d, ok := own[c.Name]; ok {
			return d, true
		}
		return c, false
	}
	const want = `a class that is known, or a line //gpumem:class %s noun="…" verb=… before its use`
	for _, t := range f.Types {
		c, ok := find(t.Class)
		if !ok {
			errs.add(t.Pos, "the unknown class "+c.Name, fmt.Sprintf(want, c.Name))
		}
		t.Class = c
	}
	for _, fn := range f.Funcs {
		for i := range fn.Effects {
			e := &fn.Effects[i]
			c, ok := find(e.Class)
			if !ok {
				errs.add(e.Pos, "the unknown class "+c.Name, fmt.Sprintf(want, c.Name))
			}
			e.Class = c
		}
	}
	for _, c := range f.Classes {
		for _, name := range c.Accepts {
			if _, ok := find(&Class{Name: name}); !ok {
				errs.add(c.Pos, "the unknown class "+name, fmt.Sprintf(want, name))
			}
		}
	}
}

// infer gives the effects of a stub file without a class that of the type at
// their place, as the file itself declares it.
func (s *Set) infer(f *File, errs *ErrorList) {
	types := map[string]*Type{}
	for _, g := range s.files {
		if !slices.ContainsFunc(g.Packages, func(p Package) bool { return slices.ContainsFunc(f.Packages, p.same) }) && !(g.C && f.C) {
			continue // another package's names mean other types
		}
		for _, t := range g.Types {
			types[t.Key[strings.LastIndexByte(t.Key, '.')+1:]] = t
		}
	}
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
			if t := types[name]; t != nil {
				e.Class, _ = s.classOf(t)
				continue
			}
			if e.Op == OpAcquire || e.Op == OpRelease || e.Op == OpFill || e.Op == OpGive {
				errs.add(e.Pos, e.Op.String()+" without a class, of the type "+fn.typeAt(e.Place),
					"a class before the place, as the type is not declared a resource in this file")
			}
		}
	}
}

func (s *Set) classOf(t *Type) (*Class, bool) {
	c, ok := s.classes[t.Class.Name]
	return c, ok
}

func (p Package) same(q Package) bool { return normal(p.Path) == normal(q.Path) }

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

// index makes the declarations of f findable.
func (s *Set) index(f *File) {
	var pkgs []*pkg
	if f.C {
		pkgs = append(pkgs, s.c)
	}
	for _, p := range f.Packages {
		path := normal(p.Path)
		if s.packages[path] == nil {
			s.packages[path] = newPkg()
		}
		if !slices.Contains(pkgs, s.packages[path]) {
			pkgs = append(pkgs, s.packages[path])
		}
	}
	for _, p := range pkgs {
		p.success = slices.Concat(f.success, p.success)
		var patterns []*Func
		for _, fn := range f.Funcs {
			if fn.Match != nil {
				patterns = append(patterns, fn)
				continue
			}
			for _, key := range fn.keys() {
				p.funcs[localKey(key, fn.pkgPath())] = fn
			}
		}
		p.patterns = slices.Concat(patterns, p.patterns) // a later file wins
		for _, t := range f.Types {
			p.types[t.Key[strings.LastIndexByte(t.Key, '.')+1:]] = t
		}
	}
}

// Classes returns all classes, sorted by name.
func (s *Set) Classes() []*Class {
	var list []*Class
	for _, name := range slices.Sorted(maps.Keys(s.classes)) {
		list = append(list, s.classes[name])
	}
	return list
}

// Files returns the stub files that s was built from, in their order.
func (s *Set) Files() []*File { return slices.Clone(s.files) }

// ClassByName returns the class of a name, or nil.
func (s *Set) ClassByName(name string) *Class { return s.classes[name] }
