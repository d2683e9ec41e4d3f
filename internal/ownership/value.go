// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/constant"
	"go/types"
	"sort"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A val is an abstract value on one path. One run follows exactly one resource
// instance, so a value is either that resource (own), something it may be
// reached through (ptr, *clo, *tup, *agg), something that decides branches
// (nilVal, boolVal, intVal), or opaque (sym).
type val interface{}

// sym is an opaque value: result i of instruction v (i counts from 1 for the
// components of a tuple, 0 for the value itself), or, when v is nil, what
// location l held before the run began.
type sym struct {
	v ssa.Value
	i int
	l loc
}

// nilVal is nil, the zero handle, or the zero struct.
type nilVal struct{}

// boolVal is a known bool.
type boolVal bool

// intVal is a known integer, in exact decimal form.
type intVal string

// own is the tracked resource's handle.
type own struct {
	sub bool // a component of an owner, not the owner itself
}

// ptr points at a location. Slices, maps and channels are pointers to the
// location of their elements' container.
type ptr struct{ l loc }

// done is the func value that releases the tracked resource: a cleanup
// function that came with it.
type done struct{}

// clo is a function value with captured variables.
type clo struct {
	fn *ssa.Function
	b  []val
}

// tup is the result of a call with several results.
type tup struct{ vs []val }

// agg is a struct or array held by value: path to value.
type agg struct{ m map[string]val }

// loc is an abstract memory location: an allocation site, a global, or what
// an opaque pointer points at; and a path of ".field" and "[]" steps. What a
// pointer held at L points at is L itself: a field that holds a pointer and
// the object behind it share one path, which keeps summaries small. Two
// opaque pointers are assumed not to alias: precision given up.
type loc struct {
	root any // ssa.Value of the allocation, or sym
	old  bool
	path string
}

// maxSteps bounds a path; recursive data beyond it is opaque.
const maxSteps = 5

func (l loc) field(step string) loc {
	l.path += step
	return l
}

func (l loc) deep() bool {
	return strings.Count(l.path, ".")+strings.Count(l.path, "[") > maxSteps
}

// under reports whether m is l or inside l, and the rest of the path.
func (l loc) under(m loc) (string, bool) {
	if l.root != m.root || l.old != m.old || !strings.HasPrefix(m.path, l.path) {
		return "", false
	}
	rest := m.path[len(l.path):]
	if rest != "" && rest[0] != '.' && rest[0] != '[' {
		return "", false // .ab is not inside .a
	}
	return rest, true
}

func constVal(c *ssa.Const) val {
	if c.Value == nil {
		switch c.Type().Underlying().(type) {
		case *types.Basic:
			return nilVal{} // untyped nil, unsafe.Pointer(nil)
		}
		return nilVal{}
	}
	switch c.Value.Kind() {
	case constant.Bool:
		return boolVal(constant.BoolVal(c.Value))
	case constant.Int:
		return intVal(c.Value.ExactString())
	}
	return sym{v: c}
}

// zeroVal is the zero value of a type as far as branches can see it.
func zeroVal(t types.Type) val {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return boolVal(false)
		case u.Info()&types.IsInteger != 0:
			return intVal("0")
		case u.Kind() == types.UnsafePointer:
			return nilVal{}
		}
	}
	return nilVal{}
}

func isZero(v val) bool {
	switch v := v.(type) {
	case nilVal:
		return true
	case intVal:
		return v == "0"
	case boolVal:
		return !bool(v)
	}
	return false
}

// sortedKeys returns m's keys in order: no output may depend on map order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
