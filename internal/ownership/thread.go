// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// threads reports work on a device that runs on a thread which nobody bound to
// it (GM505). CUDA's current context, its current device and OpenGL's context
// belong to the operating system's thread, and goroutines move between threads.
func (h *habits) threads(fn *ssa.Function) []Verdict {
	if !h.bindsSomewhere() {
		return nil // no library here binds anything
	}
	var list []Verdict
	eachCall(fn, func(in ssa.CallInstruction) {
		if g, ok := in.(*ssa.Go); ok {
			if v, ok := h.goroutine(fn, g); ok {
				list = append(list, v)
			}
		}
	})
	return append(list, h.beforeCurrent(fn)...)
}

// bindsSomewhere reports whether the package binds anything to a thread.
func (h *habits) bindsSomewhere() bool {
	if h.bound == nil {
		found := false
		for _, fn := range h.funcs {
			found = found || fn.Parent() == nil && h.scan(fn).has(rules.OpThread)
		}
		h.bound = &found
	}
	return *h.bound
}

// goroutine judges one go statement.
func (h *habits) goroutine(fn *ssa.Function, g *ssa.Go) (Verdict, bool) {
	body := literalOf(g.Call.Value)
	if body == nil {
		body = h.localCallee(&g.Call)
	}
	if body == nil || len(body.Blocks) == 0 {
		return Verdict{}, false // not in sight
	}
	w := h.threadWork(body)
	switch {
	case w.op == nil:
		return Verdict{}, false // does nothing on the device
	case w.bind == nil:
		bind := h.boundBefore(g, w.lib)
		if bind == nil {
			return Verdict{}, false // nothing was set that could be missing
		}
		v := h.threadVerdict(OtherThread, fn, bind, w.op)
		v.Pos = g.Pos()
		v.Trace = []report.Step{
			{Pos: v.Acquired, Text: "binds this thread"},
			{Pos: v.Pos, Text: "starts on another"},
			{Pos: v.OtherAt, Text: "which is bound to nothing"},
		}
		return v, true
	case !w.locked && !isDefaultDevice(w.bind.Common()):
		v := h.threadVerdict(OtherThread, fn, w.bind, w.op)
		v.Pos, v.Nil = v.Acquired, true
		return v, true
	}
	return Verdict{}, false
}

func (h *habits) threadVerdict(k Kind, fn *ssa.Function, bind, op ssa.CallInstruction) Verdict {
	return Verdict{
		Kind: k, Tier: report.Likely, Function: funcName(fn), Class: Class{Noun: "device"},
		Callee: h.callName(bind), Acquired: h.posOf(bind), Other: h.callName(op), OtherAt: h.posOf(op),
	}
}

// threadWork is what a goroutine does about its thread.
type threadWork struct {
	lib    string              // of op
	op     ssa.CallInstruction // the first call that needs the binding
	bind   ssa.CallInstruction // the first one that makes it
	locked bool                // runtime.LockOSThread
}

func (h *habits) threadWork(body *ssa.Function) threadWork {
	var w threadWork
	seen := map[*ssa.Function]bool{}
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		if seen[fn] {
			return
		}
		seen[fn] = true
		eachCall(fn, func(in ssa.CallInstruction) {
			c := in.Common()
			lib := h.threadLib(c)
			switch {
			case h.binds(c):
				if w.bind == nil {
					w.bind = in
				}
				w.locked = w.locked || h.callBase(c) == "Lock" // gorgonia.org/cu locks and binds
			case isLockOSThread(c):
				w.locked = true
			case lib != "" && h.needsThread(c):
				if w.op == nil {
					w.op, w.lib = in, lib
				}
			default:
				if callee := h.localCallee(c); callee != nil && callee.Parent() == nil {
					visit(callee)
				}
			}
		})
	}
	visit(body)
	return w
}

// binds reports whether a call binds its thread to something. A handle that is
// itself bound to a thread has the same mark; it is made, released or waited
// for.
func (h *habits) binds(c *ssa.CallCommon) bool {
	m := h.callModel(c)
	if !does(m, rules.OpThread) {
		return false
	}
	for _, eff := range m.Effects {
		switch eff.Op {
		case rules.OpRelease, rules.OpSweep, rules.OpSync:
			return false
		case rules.OpAcquire:
			if eff.Class == nil || !strings.Contains(eff.Class.Noun, "context") {
				return false // a new context is current where it was made
			}
		}
	}
	return true
}

// needsThread reports whether a call works on what the thread is bound to.
func (h *habits) needsThread(c *ssa.CallCommon) bool {
	m := h.callModel(c)
	if m == nil {
		return false
	}
	for _, eff := range m.Effects {
		switch eff.Op {
		case rules.OpAsync, rules.OpFlush:
			return true
		case rules.OpAcquire, rules.OpRelease:
			if eff.Class != nil && !eff.Class.Process && eff.Class.Mem != rules.MemHost {
				return true
			}
		}
	}
	return false
}

// threadLib is the family of libraries that share a binding: the CUDA runtime
// and driver do. It is empty for libraries that bind nothing.
func (h *habits) threadLib(c *ssa.CallCommon) string {
	obj := h.callObject(c)
	if obj == nil || obj.Pkg() == nil {
		return ""
	}
	if name, ok := cFuncName(obj.Name()); ok {
		for _, p := range []string{"hip", "cu"} {
			if strings.HasPrefix(name, p) {
				return p
			}
		}
		return ""
	}
	if !h.models.Package(obj.Pkg().Path()) {
		return ""
	}
	return obj.Pkg().Path()
}

func isLockOSThread(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	if fn == nil {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	return ok && obj.Pkg() != nil && obj.Pkg().Path() == "runtime" && obj.Name() == "LockOSThread"
}

// isDefaultDevice reports whether a call selects device 0, which every thread
// has from the beginning.
func isDefaultDevice(c *ssa.CallCommon) bool {
	ops := operands(c)
	if len(ops) != 1 {
		return false
	}
	k, ok := ops[0].(*ssa.Const)
	return ok && constVal(k) == intVal("0")
}

// boundBefore finds a call in the function around g that binds its thread for
// the library on a way to g.
func (h *habits) boundBefore(g *ssa.Go, lib string) ssa.CallInstruction {
	fi := h.info(g.Parent())
	for _, b := range g.Parent().Blocks {
		if !fi.reach[b.Index].has(g.Block().Index) {
			continue
		}
		for _, in := range b.Instrs {
			if in == ssa.Instruction(g) {
				break
			}
			call, ok := in.(*ssa.Call)
			if !ok {
				continue
			}
			at, c := call, &call.Call
			if lit := bodyOf(c); lit != nil {
				if at = innerC(lit); at == nil {
					continue // a literal of the user's
				}
				c = &at.Call
			}
			if h.binds(c) && h.threadLib(c) == lib && !isDefaultDevice(c) {
				return at
			}
		}
	}
	return nil
}

// beforeCurrent reports handles of an object that are worked on before its
// context is made current, so that some other context gets the calls:
//
//	freeTextures(w)
//	w.MakeContextCurrent()
func (h *habits) beforeCurrent(fn *ssa.Function) []Verdict {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			bind, ok := in.(*ssa.Call)
			if !ok || !h.binds(&bind.Call) {
				continue
			}
			ctx := h.boundTo(bind)
			if !ctx.known() {
				continue // a number, or a context from who knows where
			}
			if op := h.firstBefore(fn, bind, ctx); op != nil {
				v := h.threadVerdict(BeforeCurrent, fn, bind, op)
				v.Pos = v.OtherAt
				return []Verdict{v}
			}
		}
	}
	return nil
}

// boundTo is the spot of the context that a call binds.
func (h *habits) boundTo(bind *ssa.Call) spot {
	for _, eff := range h.callModel(&bind.Call).Effects {
		if eff.Op == rules.OpThread {
			if v := h.placeOf(&bind.Call, eff.Place); v != nil {
				return h.spotOf(v)
			}
		}
	}
	return spot{}
}

// firstBefore finds a call about the same object that comes to bind without any
// other binding on the way from the entry.
func (h *habits) firstBefore(fn *ssa.Function, bind *ssa.Call, ctx spot) ssa.CallInstruction {
	seen := map[*ssa.BasicBlock]bool{}
	var found ssa.CallInstruction
	fi := h.info(fn)
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		if seen[b] || found != nil {
			return
		}
		seen[b] = true
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok {
				continue
			}
			switch c := &call.Call; {
			case h.mayBind(c):
				return // from here on something is current
			case !fi.reach[b.Index].has(bind.Block().Index):
				return // leaves before
			case h.worksFor(c, h.threadLib(&bind.Call), ctx):
				found = call
				return
			}
		}
		for _, s := range b.Succs {
			visit(s)
		}
	}
	visit(fn.Blocks[0])
	return found
}

// mayBind reports whether a call binds the thread, itself or inside.
func (h *habits) mayBind(c *ssa.CallCommon) bool {
	if h.binds(c) {
		return true
	}
	if callee := h.localCallee(c); callee != nil {
		return h.threadWork(callee).bind != nil
	}
	return false
}

// worksFor reports whether a call releases handles of the object that ctx is
// the context of.
func (h *habits) worksFor(c *ssa.CallCommon, lib string, ctx spot) bool {
	about := false
	for _, v := range operands(c) {
		s := h.spotOf(v)
		about = about || s.known() && s.root == ctx.root && !isGlobal(s.root)
	}
	if !about {
		return false
	}
	if h.threadLib(c) == lib && h.needsThread(c) && !h.endsContext(c) {
		return true
	}
	callee := h.localCallee(c)
	if callee == nil {
		return false
	}
	w := h.threadWork(callee)
	return w.op != nil && w.lib == lib && !h.endsContext(w.op.Common())
}

// endsContext reports whether a call makes or releases what can be bound: that
// needs no binding.
func (h *habits) endsContext(c *ssa.CallCommon) bool {
	m := h.callModel(c)
	if m == nil {
		return false
	}
	for _, eff := range m.Effects {
		if eff.Class != nil && strings.Contains(eff.Class.Noun, "context") {
			return true
		}
	}
	return does(m, rules.OpThread)
}

func isGlobal(v ssa.Value) bool {
	_, ok := v.(*ssa.Global)
	return ok
}
