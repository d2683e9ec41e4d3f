// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// goroutines reports goroutines that never let go of what they hold: blocked
// for ever on a send, or in a loop that nothing can stop.
func (k *keepScan) goroutines() []Verdict {
	var list []Verdict
	for _, fn := range k.e.funcs {
		if isTestFunc(top(fn)) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				g, ok := in.(*ssa.Go)
				if !ok {
					continue
				}
				if v, ok := k.goroutine(fn, g); ok {
					list = append(list, v)
				}
			}
		}
	}
	return list
}

// spawned is a goroutine and what it holds.
type spawned struct {
	at   *ssa.Go
	from *ssa.Function
	body *ssa.Function
	hold keepHold
}

// keepHold is a resource that a goroutine or func holds.
type keepHold struct {
	class    Class
	name     string // the variable
	v        ssa.Value
	owner    *types.Named // the object whose method it is, if it is one
	acquired bool         // in this function
}

func (k *keepScan) goroutine(fn *ssa.Function, g *ssa.Go) (Verdict, bool) {
	body := k.bodyOf(&g.Call)
	if body == nil {
		return Verdict{}, false // cannot be seen
	}
	sp := &spawned{at: g, from: fn, body: body}
	var ok bool
	if sp.hold, ok = k.holdOf(sp); !ok {
		return Verdict{}, false // holds no resource
	}
	v := Verdict{
		Kind: HeldOn, Tier: report.Likely, Class: sp.hold.class, Function: funcName(fn), Pos: g.Pos(), Acquired: g.Pos(), Name: sp.hold.name,
	}
	for _, check := range []func(*spawned, *Verdict) bool{k.blockedSend, k.uncancelled, k.noStop, k.leftRunning} {
		if check(sp, &v) {
			return v, true
		}
	}
	return Verdict{}, false
}

// bodyOf is the function that a go statement runs, if it is here.
func (k *keepScan) bodyOf(c *ssa.CallCommon) *ssa.Function {
	fn := c.StaticCallee()
	if fn == nil {
		fn = keepLiteral(c.Value)
	}
	if fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if obj := originFunc(fn); obj != nil && strings.HasSuffix(fn.Name(), "$bound") {
		fn = k.e.pkg.Prog.FuncValue(obj)
	}
	if fn == nil || !k.e.local(fn) {
		return nil
	}
	// go func() { w.run() }(): one step further.
	if len(fn.Blocks) == 1 && fn.Parent() != nil {
		var only *ssa.Function
		for _, in := range fn.Blocks[0].Instrs {
			if call, ok := in.(*ssa.Call); ok {
				if callee := call.Call.StaticCallee(); callee != nil && k.e.local(callee) && callee.Object() != nil {
					if only != nil {
						return fn
					}
					only = callee
				}
			}
		}
		if only != nil && k.loopsForEver(only) {
			return only
		}
	}
	return fn
}

// holdOf finds the resource that a goroutine holds: a captured variable or an
// argument that is one or owns some, something that it acquires, or a locked
// thread.
func (k *keepScan) holdOf(sp *spawned) (keepHold, bool) {
	var vals []ssa.Value
	if mc, ok := sp.at.Call.Value.(*ssa.MakeClosure); ok {
		vals = append(vals, mc.Bindings...)
	}
	vals = append(vals, sp.at.Call.Args...)
	var best keepHold
	found := false
	for _, v := range vals {
		t := v.Type()
		if a, ok := v.(*ssa.Alloc); ok && a.Heap {
			t = elem(t)
		}
		if _, isChan := t.Underlying().(*types.Chan); isChan {
			continue // below
		}
		got, ok := k.elem(t)
		if ok && got.raw {
			if val := k.value(v); val.source == fromAcquire {
				got.class = val.class
			}
		}
		if !ok || got.class.Name == "" || found && !best.class.Owner {
			continue
		}
		best, found = keepHold{class: got.class, name: valueOrCell(v), v: v, owner: namedOf(t)}, true
	}
	if found {
		return best, true
	}
	for _, v := range vals {
		t := v.Type()
		if a, ok := v.(*ssa.Alloc); ok && a.Heap {
			t = elem(t)
		}
		// A channel of resources that the goroutine sends on.
		ch, ok := t.Underlying().(*types.Chan)
		if !ok {
			continue
		}
		if got, ok := k.elem(ch.Elem()); ok && got.class.Name != "" && k.sendsOwn(sp.body, ch.Elem()) {
			return keepHold{class: got.class, v: v}, true
		}
	}
	if sites := k.e.sites(sp.body); len(sites) > 0 {
		return keepHold{class: sites[0].acq.class, name: sites[0].name}, true
	}
	for _, b := range sp.body.Blocks {
		for _, in := range b.Instrs {
			if call, ok := in.(*ssa.Call); ok && stdCallee(&call.Call, "runtime") == "LockOSThread" {
				return keepHold{class: Class{Name: "thread", Noun: "locked OS thread", Verb: "released"}}, true
			}
		}
	}
	return keepHold{}, false
}

// sendsOwn reports whether fn sends values of type t that it does not take from
// another channel of the same.
func (k *keepScan) sendsOwn(fn *ssa.Function, t types.Type) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if s, ok := in.(*ssa.Send); ok && types.Identical(s.X.Type(), t) {
				return true
			}
		}
	}
	return false
}

func valueOrCell(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Parameter:
		return v.Name()
	case *ssa.Alloc:
		if v.Comment == "complit" || v.Comment == "new" {
			return ""
		}
		return v.Comment
	case *ssa.FreeVar:
		return v.Name()
	}
	return ""
}

// String is how messages name what a goroutine holds.
func (h keepHold) String() string {
	if h.name != "" && !strings.Contains(h.name, ".") && h.name != "varargs" {
		return h.class.Noun + " " + h.name
	}
	return h.class.Noun
}

func andLiterals(fn *ssa.Function) []*ssa.Function {
	list := []*ssa.Function{fn}
	for _, anon := range fn.AnonFuncs {
		list = append(list, andLiterals(anon)...)
	}
	return list
}
