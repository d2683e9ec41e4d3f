// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// copyVerdicts reports copies of a struct that owns, where both the copy and
// the original are released on one path.
//
//	other := img
//	other.Close()
//	img.Close() // the same native object
//
// Handing a handle over by value is how such libraries work, so a copy alone
// says nothing: two releases do.
func (e *engine) copyVerdicts() []Verdict {
	var list []Verdict
	seen := map[token.Pos]bool{}
	for _, fn := range e.funcs {
		for _, b := range fn.Blocks {
			for i, in := range b.Instrs {
				v, ok := Verdict{}, false
				switch in := in.(type) {
				case *ssa.Store:
					if v, ok = e.finalCopied(fn, in); !ok {
						v, ok = e.copyReleased(fn, b, i, in)
					}
				case *ssa.Call:
					v, ok = e.argReleased(fn, b, i, in)
				}
				if ok && !seen[v.Pos] {
					seen[v.Pos] = true
					list = append(list, v)
				}
			}
		}
	}
	return list
}

// onePerCopy keeps the better explanation where a release of a copy is the
// second one of its handle, too: that there is a copy.
func onePerCopy(list []Verdict) []Verdict {
	copied := map[token.Pos]bool{}
	for _, v := range list {
		if v.Kind == OwnerCopied {
			copied[v.Pos] = true
		}
	}
	kept := list[:0]
	for _, v := range list {
		if v.Kind == ReleasedTwice && copied[v.Pos] {
			continue // GM403 says it
		}
		kept = append(kept, v)
	}
	return kept
}

// place identifies a variable, field or element within one function, by the
// address that it is reached through.
type place string

// placeOf names the place behind an address. Two loads of one variable count
// as the same pointer: a store in between ends the comparison, see copyWalk.
func placeOf(v ssa.Value) place {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return placeOf(v.X) + place("."+fieldName(v.X.Type(), v.Field))
	case *ssa.IndexAddr:
		return placeOf(v.X) + "[]"
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return "*" + placeOf(v.X)
		}
	case *ssa.Slice:
		if v.Low == nil && v.High == nil {
			return placeOf(v.X)
		}
		// A part, which may be the other elements.
	case *ssa.Global:
		return place("global " + v.Name())
	case *ssa.Parameter:
		return place("parameter " + v.Name())
	case *ssa.FreeVar:
		return place("captured " + v.Name())
	}
	return place(v.Name()) // a register: one of its function's
}

// copyPaths lists where below a struct the handles lie that a copy shares: ""
// for a handle that is a struct itself. Pointers to objects that look after
// themselves are shared without harm.
func (e *engine) copyPaths(t types.Type) []string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil
	}
	named = named.Origin()
	if got, ok := e.copies[named]; ok {
		return got
	}
	if e.copies == nil {
		e.copies = map[*types.Named][]string{}
	}
	e.copies[named] = nil
	if m := e.models.Type(named.Obj()); m != nil {
		if m.ByValue && m.Class != nil && !m.Class.Optional {
			e.copies[named] = []string{""}
		}
		return e.copies[named]
	}
	if _, isStruct := named.Underlying().(*types.Struct); !isStruct {
		return nil
	}
	for _, o := range e.owners() {
		if o.named != named {
			continue
		}
		for _, path := range o.paths {
			for _, d := range o.ends {
				if d.releases(path) && e.sharedBadly(d, path) {
					e.copies[named] = append(e.copies[named], path)
					break
				}
			}
		}
	}
	return e.copies[named]
}

// sharedBadly reports whether what two copies release by their method is freed
// twice.
func (e *engine) sharedBadly(d *destructor, path string) bool {
	if t := fieldType(d.owner.named, path[1:]); t != nil {
		if n, ok := types.Unalias(t).(*types.Named); ok {
			if m := e.models.Type(n.Obj()); m != nil && m.ByValue {
				return true // a struct handle in a struct
			}
		}
	}
	c := e.followClose(d, path)
	for _, r := range c.rets {
		if r.s.status != released || len(r.s.trace) == 0 {
			continue
		}
		if e.secondDoes(c.calls[r.s.trace[len(r.s.trace)-1].pos]) != rules.AgainOK {
			return true
		}
	}
	return false
}

// copyReleased judges a store of one place's struct into another.
func (e *engine) copyReleased(fn *ssa.Function, b *ssa.BasicBlock, i int, st *ssa.Store) (Verdict, bool) {
	load, ok := st.Val.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return Verdict{}, false // a new value
	}
	if len(e.copyPaths(load.Type())) == 0 {
		return Verdict{}, false // owns nothing that a copy would share
	}
	from, to := placeOf(load.X), placeOf(st.Addr)
	if from == to || !steadyBetween(load, st, from) {
		return Verdict{}, false // a swap: another value is there by now
	}
	w := &copyWalk{e: e, fn: fn, typ: load.Type(), names: map[place]string{from: e.placeName(load.X), to: e.placeName(st.Addr)}}
	return w.run(b, i, copyState{members: []place{from, to}})
}

// argReleased judges a struct that is handed over by value to a function that
// releases its copy.
func (e *engine) argReleased(fn *ssa.Function, b *ssa.BasicBlock, i int, call *ssa.Call) (Verdict, bool) {
	callee := call.Call.StaticCallee()
	if callee == nil || callee.Signature.Recv() != nil && len(call.Call.Args) == 1 {
		return Verdict{}, false // its own release method
	}
	for k, arg := range call.Call.Args {
		load, ok := arg.(*ssa.UnOp)
		if !ok || load.Op != token.MUL || len(e.copyPaths(load.Type())) == 0 || !e.releasesPlace(&call.Call, k, load.Type()) {
			continue
		}
		if m := e.callModel(&call.Call); m != nil {
			continue // a library that releases its argument: GM302 knows
		}
		from := placeOf(load.X)
		arg := place(fmt.Sprintf("argument %d of %s", k, call.Name()))
		w := &copyWalk{e: e, fn: fn, typ: load.Type(), names: map[place]string{from: e.placeName(load.X), arg: "the argument of " + e.calleeName(&call.Call)}}
		return w.run(b, i, copyState{members: []place{from, arg}, released: arg})
	}
	return Verdict{}, false
}

// placeName is how messages call the place behind an address.
func (e *engine) placeName(addr ssa.Value) string {
	switch v := addr.(type) {
	case *ssa.IndexAddr:
		return e.placeName(v.X) + "[i]"
	case *ssa.FieldAddr:
		return e.placeName(v.X) + "." + fieldName(v.X.Type(), v.Field)
	}
	if n := e.nameOf(addr); n != "the object" {
		return n
	}
	return "the copy"
}

// steadyBetween reports whether nothing is stored to a place between the load
// and the store of a copy.
func steadyBetween(load *ssa.UnOp, st *ssa.Store, from place) bool {
	if load.Block() != st.Block() {
		return false // cannot be told without following the paths in between
	}
	on := false
	for _, in := range load.Block().Instrs {
		switch {
		case in == ssa.Instruction(load):
			on = true
		case in == ssa.Instruction(st):
			return true
		case on:
			if other, ok := in.(*ssa.Store); ok && placeOf(other.Addr) == from {
				return false
			}
		}
	}
	return true
}
