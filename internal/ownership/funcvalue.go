// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// varModel is the model of a package variable of function type: go-nvml's
// whole interface.
//
//	t0 = *nvml.EventSetCreate
//	t1 = t0()
func (e *engine) varModel(v ssa.Value) *rules.Func {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	g, ok := load.X.(*ssa.Global)
	if !ok {
		return nil
	}
	obj, _ := g.Object().(*types.Var)
	return e.models.Var(obj)
}

// closerField reports whether a func in a field is called that is named like a
// release, on an object that holds the resource.
func (r *run) closerField(s *state, iv *invocation) bool {
	if !hasWord(fieldOf(iv.common.Value), closerWords) {
		return false
	}
	switch fn := iv.fn.(type) {
	case own:
		return true
	case sym:
		if fn.v != nil {
			return false
		}
		up := loc{root: fn.l.root, old: fn.l.old, path: parentPath(fn.l.path)}
		return s.reachLoc(up, map[loc]bool{})
	}
	return false
}

// closerWords are in the names of fields that hold a release.
var closerWords = append([]string{"cleanup", "cancel", "stop", "teardown", "done", "finish", "drop", "fini"}, releaseWords...)

// fieldOf is the name of the field that a function value was loaded from.
func fieldOf(v ssa.Value) string {
	if load, ok := v.(*ssa.UnOp); ok {
		if f, ok := load.X.(*ssa.FieldAddr); ok {
			return fieldName(f.X.Type(), f.Field)
		}
	}
	if f, ok := v.(*ssa.Field); ok {
		return fieldName(f.X.Type(), f.Field)
	}
	return ""
}

// varFunc is the function behind a package variable that is assigned once, by
// its initialiser.
func (e *engine) varFunc(v ssa.Value) *ssa.Function {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	g, ok := load.X.(*ssa.Global)
	if !ok || g.Pkg != e.pkg {
		return nil
	}
	if e.funcVars == nil {
		e.funcVars = map[*ssa.Global]*ssa.Function{}
		e.findFuncVars()
	}
	return e.funcVars[g]
}

func (e *engine) findFuncVars() {
	twice := map[*ssa.Global]bool{}
	all := append([]*ssa.Function(nil), e.funcs...)
	if init := e.pkg.Func("init"); init != nil {
		all = append(all, init)
	}
	for _, fn := range all {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				st, ok := in.(*ssa.Store)
				if !ok {
					continue
				}
				g, ok := st.Addr.(*ssa.Global)
				if !ok {
					continue
				}
				f, ok := st.Val.(*ssa.Function)
				if !ok || e.funcVars[g] != nil || twice[g] {
					twice[g] = true
					delete(e.funcVars, g)
					continue
				}
				e.funcVars[g] = f
			}
		}
	}
}
