// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// prefix begins the names that replace C's. It takes two bytes, as "C." does,
// so that columns stay, and is a letter that nobody's names begin with.
const prefix = "ċ"

// cNames collects what the text that is left of a package uses of C.
type cNames struct {
	types  map[string]bool
	enums  map[string]bool // types of which a Go type is defined
	values map[string]bool
}

func newCNames() *cNames {
	return &cNames{types: map[string]bool{}, values: map[string]bool{}, enums: map[string]bool{}}
}

// collect notes the C names in what the edits have left of a file and puts Go
// names in their place.
func (c *cNames) collect(f *ast.File, e *editor) {
	typePos := map[ast.Expr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			markTypes(n.Type, typePos)
		case *ast.ValueSpec:
			markTypes(n.Type, typePos)
		case *ast.TypeSpec:
			markTypes(n.Type, typePos)
			if name, ok := cName(n.Type); ok && !n.Assign.IsValid() {
				c.enums[name] = true
			}
		case *ast.CompositeLit:
			markTypes(n.Type, typePos)
		}
		return true
	})
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		name, ok := cName(sel)
		if !ok || e.gone(sel.Pos()) {
			return !ok
		}
		if typePos[sel] {
			c.types[name] = true
		} else {
			c.values[name] = true
		}
		e.replace(sel.Pos(), sel.End(), prefix+name)
		return false
	})
}

func cName(x ast.Expr) (string, bool) {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	id, ok := sel.X.(*ast.Ident)
	return sel.Sel.Name, ok && id.Name == "C"
}

// markTypes notes which selectors inside a type are types themselves: all but
// those in the length of an array.
func markTypes(x ast.Expr, found map[ast.Expr]bool) {
	if x == nil {
		return
	}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ArrayType:
			markTypes(n.Elt, found)
			return false
		case *ast.SelectorExpr:
			found[n] = true
			return false
		}
		return true
	})
}

// basicTypes are Go's types for C's, by cgo's names.
var basicTypes = map[string]string{
	"char": "int8", "schar": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32",
	"long": "int64", "ulong": "uint64", "longlong": "int64", "ulonglong": "uint64", "float": "float32", "double": "float64",
	"size_t": "uint64", "ssize_t": "int64", "uintptr_t": "uintptr", "bool": "bool", "_Bool": "bool",
	"int8_t": "int8", "uint8_t": "uint8", "int16_t": "int16", "uint16_t": "uint16",
	"int32_t": "int32", "uint32_t": "uint32", "int64_t": "int64", "uint64_t": "uint64",
}

// declarations gives every C name that is left a Go meaning: numbers their
// own, structs an opaque one, all other types that of a pointer, which most
// handles are; constants are distinct numbers.
func (c *cNames) declarations() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.types)) {
		goType, basic := basicTypes[name]
		switch {
		case basic:
		case strings.HasPrefix(name, "enum_"), c.enums[name]:
			goType = "uint32"
		case strings.HasPrefix(name, "struct_"), strings.HasPrefix(name, "union_"):
			goType = "struct{ _ uintptr }"
		default:
			goType = "*struct{ _ uintptr }"
		}
		fmt.Fprintf(&b, "\ntype %s%s %s\n", prefix, name, goType)
	}
	for i, name := range slices.Sorted(maps.Keys(c.values)) {
		if c.types[name] {
			continue // a conversion
		}
		if goType, ok := basicTypes[name]; ok {
			fmt.Fprintf(&b, "\ntype %s%s %s\n", prefix, name, goType)
			continue
		}
		fmt.Fprintf(&b, "\nconst %s%s = %d\n", prefix, name, i+1)
	}
	return b.String()
}
