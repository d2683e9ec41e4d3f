// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"bytes"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/lazyssa"
)

// containerPackage reports whether a package that knows no GPU library declares
// containers that may hold anything: generic types, and caches of any. It is
// asked for every package of a build, so it looks at declarations only.
func containerPackage(pass *analysis.Pass) bool {
	if isStdPackage(pass) || pass.Pkg.Name() == "main" {
		return false // known by name; imported by nobody
	}
	scope := pass.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		named, ok := tn.Type().(*types.Named)
		if !ok || named.NumMethods() == 0 || !tn.Exported() {
			continue // facts are about what importers can name
		}
		st, ok := named.Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for i := range named.TypeParams().Len() {
			if tp := named.TypeParams().At(i); putsIn(named, tp) && roomy(st, 0, tp) {
				return true
			}
		}
		if hasWord(name, cacheWords) && putsIn(named, nil) && roomy(st, 0, nil) {
			return true
		}
	}
	return false
}

// cacheWords are in the names of types whose elements of type any are worth a
// look. A map of any alone is in every package that decodes JSON.
var cacheWords = []string{"cache", "lru", "pool", "registry", "store"}

// putsIn reports whether a type has a method that can be given an element: a
// value of a type parameter, or of any if that is nil.
func putsIn(n *types.Named, elem *types.TypeParam) bool {
	for i := range n.NumMethods() {
		m := n.Method(i)
		if !m.Exported() {
			continue
		}
		params := m.Signature().Params()
		for j := range params.Len() {
			t := params.At(j).Type()
			if m.Signature().Variadic() && j == params.Len()-1 {
				t = t.(*types.Slice).Elem()
			}
			// The receiver's own names for its parameters.
			for k := range m.Signature().RecvTypeParams().Len() {
				if elem != nil && k == elem.Index() && types.Unalias(t) == m.Signature().RecvTypeParams().At(k) {
					return true
				}
			}
			if u, ok := t.Underlying().(*types.Interface); ok && elem == nil && u.Empty() {
				return true
			}
		}
	}
	return false
}

// roomy reports whether a struct has a container of elements whose type is a
// type parameter, or any if that is nil.
func roomy(st *types.Struct, depth int, elem *types.TypeParam) bool {
	for i := range st.NumFields() {
		if roomyType(st.Field(i).Type(), depth, elem, false) {
			return true
		}
	}
	return false
}

func roomyType(t types.Type, depth int, elem *types.TypeParam, inside bool) bool {
	if depth > 5 {
		return false
	}
	t = types.Unalias(t)
	if tp, ok := t.(*types.TypeParam); ok {
		return inside && tp == elem
	}
	if n := namedOf(t); n != nil {
		switch n.Obj().Pkg().Path() + "." + n.Obj().Name() {
		case "sync.Map", "container/list.List":
			return true
		}
		for i := range n.TypeArgs().Len() {
			if roomyType(n.TypeArgs().At(i), depth+1, elem, true) {
				return true // a list, map or entry of another generic type
			}
		}
		if n.TypeArgs().Len() == 0 && !inside {
			if st, ok := deref(t).Underlying().(*types.Struct); ok && depth < 2 {
				return roomy(st, depth+2, elem)
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return roomyType(u.Elem(), depth+1, elem, inside)
	case *types.Slice:
		return roomyType(u.Elem(), depth+1, elem, true)
	case *types.Array:
		return roomyType(u.Elem(), depth+1, elem, true)
	case *types.Chan:
		return roomyType(u.Elem(), depth+1, elem, true)
	case *types.Map:
		return roomyType(u.Elem(), depth+1, elem, true)
	case *types.Interface:
		return elem == nil && inside && u.Empty()
	case *types.Struct:
		for i := 0; i < u.NumFields() && depth < 4; i++ {
			if roomyType(u.Field(i).Type(), depth+1, elem, inside) {
				return true // an entry, or a struct without a name
			}
		}
	}
	return false
}

// keepOnly writes the facts of a package of containers, and nothing else: no
// function is summarised, so that its importers are analysed only if they know
// a GPU library themselves.
func keepOnly(pass *analysis.Pass) {
	e := newEngine(pass, lazyssa.Build(pass), builtinModels())
	k := newKeepScan(e)
	k.anything = true
	k.scan()
	k.exportKept()
}

// MayKeep reports whether the source of a file can be part of a package of
// containers, by its text alone: a struct with type parameters, or one that is
// named like a cache, beside a container of any. A driver that has not parsed
// the file yet asks; containerPackage has the last word.
func MayKeep(src []byte) bool {
	const generic = "] struct" // type Cache[K comparable, V any] struct
	for rest := src; ; {
		i := bytes.Index(rest, []byte(generic))
		if i < 0 {
			break
		}
		line := rest[bytes.LastIndexByte(rest[:i], '\n')+1 : i]
		line = bytes.TrimPrefix(bytes.TrimSpace(line), []byte("type "))
		if name, _, ok := bytes.Cut(line, []byte("[")); ok && len(name) > 0 && !bytes.ContainsAny(name, " \t=/(") {
			return true
		}
		rest = rest[i+len(generic):]
	}
	if !anyContainer(src) {
		return false
	}
	for rest := src; ; {
		i := bytes.Index(rest, []byte("\ntype "))
		if i < 0 {
			return false
		}
		rest = rest[i+len("\ntype "):]
		name, _, _ := bytes.Cut(rest[:min(len(rest), 60)], []byte(" "))
		if hasWord(string(name), cacheWords) {
			return true
		}
	}
}

func anyContainer(src []byte) bool {
	for _, s := range []string{`"container/list"`, "sync.Map", "]any", "]interface{}", "/lru\"", "lru\""} {
		if bytes.Contains(src, []byte(s)) {
			return true
		}
	}
	return false
}

// Summarised reports whether the encoded facts of a package say more than what
// its containers do. What knows containers alone has nothing to hand on.
func Summarised(facts []byte) bool {
	if len(facts) == 0 {
		return false
	}
	// gob spells the type of each fact.
	return !bytes.Contains(facts, []byte("ownership.KeepFact")) ||
		bytes.Contains(facts, []byte("ownership.PkgFact")) || bytes.Contains(facts, []byte("ownership.FuncFact"))
}
