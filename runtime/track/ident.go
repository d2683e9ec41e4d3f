// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"reflect"
	"unsafe"
)

// handle is what identifies a resource while it lives: the pointer or number
// that the library knows it by. Numbers come back after a release, so a handle
// names an allocation only together with the time (instance.id).
type handle struct {
	bits uint64
	ptr  unsafe.Pointer // of pointers: keeps an object of Go's, and so the number, from being used again
	raw  bool           // ptr may well be C's: an unsafe.Pointer, or a field
}

// handles finds the handles at a place of a call. Nil ones are left out, but
// keep their index; fn is called with the index among elements.
func (p Place) handles(ins []any, outs []any, fn func(i int, h handle)) {
	v, ok := p.value(ins, outs)
	if !ok {
		return // no such value: a pattern's optional parameter
	}
	walk(v, p.Path, p.Value, -1, fn)
}

// value is the value that a place starts from.
func (p Place) value(ins, outs []any) (reflect.Value, bool) {
	var v reflect.Value
	switch {
	case p.Root < 0:
		return v, false
	case p.Root < len(ins):
		v = reflect.ValueOf(ins[p.Root])
	case p.Root-len(ins) < len(outs):
		v = reflect.ValueOf(outs[p.Root-len(ins)])
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem() // Out is given pointers
		}
	}
	if !v.IsValid() {
		return v, false // nil interface
	}
	if !p.Deref {
		return v, true
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v, false
		}
		return v.Elem(), true
	case reflect.UnsafePointer:
		// A void** handed over as void*: what it points at is a pointer.
		if v.IsNil() {
			return v, false
		}
		return reflect.NewAt(reflect.TypeOf(uintptr(0)), v.UnsafePointer()).Elem(), true
	case reflect.Slice: // an out-parameter given as a slice of one
		if v.Len() == 0 {
			return v, false
		}
		return v.Index(0), true
	}
	return v, false
}

// walk follows the path below v.
func walk(v reflect.Value, path []string, value bool, index int, fn func(int, handle)) {
	for v.Kind() == reflect.Interface {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	if len(path) == 0 {
		if h, ok := identify(v, value); ok {
			fn(index, h)
		}
		return
	}
	step := path[0]
	if step == "[]" {
		switch v.Kind() {
		case reflect.Slice, reflect.Array:
			for i := 0; i < v.Len(); i++ {
				walk(v.Index(i), path[1:], value, i, fn)
			}
		case reflect.Map:
			for it := v.MapRange(); it.Next(); {
				walk(it.Value(), path[1:], value, index, fn)
			}
		}
		return // what an object keeps is not to be seen from outside
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || len(step) < 2 || step[0] != '.' {
		return // a value of a callback, or a field that this version has not
	}
	if f := v.FieldByName(step[1:]); f.IsValid() {
		walk(f, path[1:], value, index, fn)
	}
}

// identify is the handle in v; false if it is nil.
func identify(v reflect.Value, value bool) (handle, bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return handle{}, false
		}
		if value && v.Elem().Kind() == reflect.Struct {
			return fieldHandle(v.Elem())
		}
		return handle{bits: uint64(v.Pointer()), ptr: v.UnsafePointer()}, true
	case reflect.UnsafePointer:
		return handle{bits: uint64(v.Pointer()), ptr: v.UnsafePointer(), raw: true}, v.Pointer() != 0
	case reflect.Map, reflect.Chan, reflect.Slice:
		return handle{bits: uint64(v.Pointer()), ptr: v.UnsafePointer()}, v.Pointer() != 0
	case reflect.Uintptr, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return handle{bits: v.Uint()}, v.Uint() != 0
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return handle{bits: uint64(v.Int())}, v.Int() != 0
	case reflect.Struct:
		return fieldHandle(v)
	}
	return handle{}, false
}

// fieldHandle is the handle in a struct, all copies of which are the same
// resource: the first pointer in it that is not nil, or else its first number.
// Numbers further down are not looked at; a mutex has some that change.
func fieldHandle(v reflect.Value) (handle, bool) {
	if h, ok := firstPointer(v); ok {
		return h, true
	}
	for i := 0; i < v.NumField(); i++ {
		f := v.Field(i)
		switch {
		case f.CanInt() && f.Int() != 0:
			return handle{bits: uint64(f.Int())}, true
		case f.CanUint() && f.Uint() != 0:
			return handle{bits: f.Uint()}, true
		}
	}
	return handle{}, false
}

func firstPointer(v reflect.Value) (h handle, ok bool) {
	for i := 0; i < v.NumField() && !ok; i++ {
		f := v.Field(i)
		if f.Kind() == reflect.Interface && !f.IsNil() {
			f = f.Elem()
		}
		switch f.Kind() {
		case reflect.Pointer, reflect.UnsafePointer:
			h, ok = identify(f, false)
		case reflect.Struct:
			h, ok = firstPointer(f)
		}
	}
	h.raw = true
	return h, ok
}

// yes reports whether the bool at a place of a call is true.
func yes(root int, ins, outs []any) (is, ok bool) {
	v, ok := Place{Root: root}.value(ins, outs)
	if !ok {
		return false, false
	}
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool(), true
	case reflect.Slice: // variadic: given and true
		return v.Len() > 0 && v.Index(0).Kind() == reflect.Bool && v.Index(0).Bool(), true
	}
	return false, false
}

// succeeded reports whether the call says that it did what it should.
func (f *Func) succeeded(ins, outs []any) bool {
	if f.Success == SuccessAlways {
		return true
	}
	v, ok := Place{Root: f.Result}.value(ins, outs)
	switch f.Success {
	case SuccessNil:
		if !ok {
			return true // a nil interface has no value
		}
		switch v.Kind() {
		case reflect.Interface, reflect.Pointer, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan, reflect.UnsafePointer:
			return v.IsNil()
		}
		return false
	case SuccessTrue:
		return ok && v.Kind() == reflect.Bool && v.Bool()
	case SuccessStatus:
		switch {
		case !ok:
			return false
		case v.CanInt():
			return v.Int() == f.Value
		case v.CanUint():
			return int64(v.Uint()) == f.Value
		}
	}
	return false
}
