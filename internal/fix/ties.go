// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/gpumemlint/gpumemlint/rules"
)

// ties lists the operands to which a call may tie the resource, so that it has to
// live as long as they do: by the model, or, for C functions, by a name that says
// so. What C does with two pointers is not seen; most only read.
func (d *dependents) ties(call *ast.CallExpr) []ast.Expr {
	fn := callee(d.v.info, call)
	if fn == nil || len(call.Args) == 0 {
		return nil
	}
	args := call.Args
	method := false
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && d.v.info.Selections[sel] != nil {
		args, method = append([]ast.Expr{sel.X}, args...), true
	}
	operand := func(p rules.Place) ast.Expr {
		i := p.Index
		switch {
		case p.Kind == rules.PlaceRecv && method:
			i = 0
		case p.Kind != rules.PlaceParam:
			return nil
		case method:
			i++
		}
		if i >= len(args) {
			return nil
		}
		return args[i]
	}
	var list []ast.Expr
	if m := d.v.models().Func(fn); m != nil {
		for _, e := range m.Effects {
			if e.Op != rules.OpKeep && e.Op != rules.OpAsync {
				continue
			}
			kept, by := operand(e.Place), operand(e.Of)
			if kept != nil && by != nil && d.leads(kept) {
				list = append(list, by)
			}
		}
	}
	name, isC := strings.CutPrefix(fn.Name(), "_Cfunc_")
	if !isC || !tiesByName(name) {
		return list
	}
	for i, a := range args {
		if !d.leads(a) || d.isString(a) {
			continue
		}
		for j, other := range args {
			if i != j && !d.leads(other) && mayPoint(d.v.info.TypeOf(other), 0) && !isNil(other) {
				list = append(list, other)
			}
		}
	}
	return list
}

// isString reports whether an argument is a C string, which C functions copy by
// custom if they want to keep it.
func (d *dependents) isString(x ast.Expr) bool {
	return isCString(d.v.info.TypeOf(x))
}

func isCString(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "_Ctype_char"
}

func tiesByName(name string) bool {
	name = strings.ToLower(name)
	for _, w := range []string{"alloc", "set", "bind", "attach", "add", "register", "assign", "append", "insert", "push", "link", "connect", "store", "keep", "map", "init", "use"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// copies are functions of the C bridge and of common bindings which return Go
// memory of their own.
var copies = map[string]bool{
	"_Cfunc_GoString": true, "_Cfunc_GoStringN": true, "_Cfunc_GoBytes": true,
	"ToBytes": true, "ToImage": true, "Float64Values": true, "Float32Values": true, "Int64Values": true, "Vals": true, "Error": true, "Errorf": true,
}

// independent reports whether a model says that results are resources of their
// own, whatever the arguments.
func independent(m *rules.Func) bool {
	made := false
	for _, e := range m.Effects {
		switch e.Op {
		case rules.OpView, rules.OpAlias, rules.OpBorrow, rules.OpKeep, rules.OpOrder, rules.OpAdopt:
			return false
		case rules.OpAcquire:
			made = made || e.Place.Kind == rules.PlaceResult
		case rules.OpUse:
			made = true
		}
	}
	return made
}

// numbers reports whether t is raw memory: an address, or a slice of plain
// numbers, which may be a view however little the model says.
func numbers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Slice:
		_, basic := u.Elem().Underlying().(*types.Basic)
		return basic
	case *types.Tuple:
		for i := 0; i < u.Len(); i++ {
			if mayPoint(u.At(i).Type(), 0) && numbers(u.At(i).Type()) {
				return true
			}
		}
	}
	return false
}
