// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// KeepFact says what a function does to a container that is not its own: the
// one inside an argument (mostly the receiver), or a package variable. It makes
// the cache of another package what container/list and sync.Map are by their
// names: an importer knows which calls put in, and which take out.
//
// It is a fact of its own, since a package of containers need not know a GPU
// library: such a package is not analysed beyond this (see containerPackage),
// and must not pass for one whose functions were summarised.
type KeepFact struct {
	Ops []KeepOp
}

// KeepOp is one thing that the function does. An argument is counted with the
// receiver as the first one; -1 is none.
type KeepOp struct {
	Op     uint8  // a keepOp
	In     int    // argument whose object has the container; -1: Place
	Place  string // package variable, as placeKey spells it
	Elem   int    // argument that is put in
	Key    int    // argument that is the key
	Result int    // result that is an element, or leads to all of them
	Func   int    // argument: a func that is called with elements
	Slice  bool   // appended, not keyed

	Limited   bool // elements leave by themselves, or there is a limit to their number
	Evicts    bool // what leaves by itself is not released
	Calls     bool // funcs that the object was given may see what leaves
	Released  bool // of a removal: what leaves is; of the others: some function releases elements
	Removable bool // some function takes elements out
	Escapes   bool // the whole container is handed out
	Told      bool // reported where it is
}

// AFact marks KeepFact as a fact.
func (*KeepFact) AFact() {}

func (f *KeepFact) String() string {
	var parts []string
	for _, op := range f.Ops {
		s := fmt.Sprintf("%s:%d%s", keepOp(op.Op), op.In, op.Place)
		if op.Elem >= 0 {
			s += fmt.Sprintf(" elem%d", op.Elem)
		}
		for _, flag := range []struct {
			on   bool
			name string
		}{{op.Limited, "limited"}, {op.Evicts, "evicts"}, {op.Calls, "calls"}, {op.Released, "released"}, {op.Escapes, "escapes"}, {op.Told, "told"}} {
			if flag.on {
				s += " " + flag.name
			}
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

func (op keepOp) String() string {
	switch op {
	case keepAdd:
		return "add"
	case keepDrop:
		return "drop"
	case keepClear:
		return "clear"
	case keepGive:
		return "give"
	}
	return "change"
}

// HeldFact is evidence about one container that several packages can reach: a
// package variable or an exported field. It is part of the PkgFact, and each
// package passes on what its imports know, since drivers keep facts about
// packages for direct importers only.
type HeldFact struct {
	Place    string
	Taken    bool
	Released bool
	Escapes  bool
}

// placeKey spells a package variable or field for other packages: path.Var,
// path.Type.field. It is "" for what cannot be named from outside.
func (k *keepScan) placeKey(v *types.Var) string {
	if v.Pkg() == nil {
		return ""
	}
	if !v.IsField() {
		return v.Pkg().Path() + "." + v.Name()
	}
	keys, ok := k.fieldKeys[v.Pkg()]
	if !ok {
		keys = map[*types.Var]string{}
		scope := v.Pkg().Scope()
		for _, name := range scope.Names() {
			if tn, ok := scope.Lookup(name).(*types.TypeName); ok && !tn.IsAlias() {
				nameFields(keys, v.Pkg().Path()+"."+name, tn.Type().Underlying(), 0)
			}
		}
		k.fieldKeys[v.Pkg()] = keys
	}
	return keys[v]
}

func nameFields(keys map[*types.Var]string, prefix string, t types.Type, depth int) {
	st, ok := t.(*types.Struct)
	if !ok || depth > 3 {
		return
	}
	for i := range st.NumFields() {
		f := st.Field(i).Origin()
		if _, known := keys[f]; known {
			continue // type A B: B has A's fields
		}
		keys[f] = prefix + "." + f.Name()
		nameFields(keys, keys[f], f.Type(), depth+1) // a struct without a name
	}
}

var _ = []analysis.Fact{(*KeepFact)(nil)}
