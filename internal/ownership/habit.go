// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// The verdicts on how a package goes about what it has: GM5xx. They do not
// follow one resource from its acquisition; what they share is in this file.
const (
	ParentFirst    Kind = iota + 96 // GM505, a parent goes before its child
	OtherThread                     // GM505, a goroutine relies on another thread's context
	BeforeCurrent                   // GM505, the handles of a context before it is made current
	FlushedInLoop                   // GM503
	Churned                         // GM504
	GraphKept                       // GM501
	BackwardNoGrad                  // GM501, gradients asked for where no graph is recorded
	GraphSummed                     // GM502
	NeverZeroed                     // GM502
	NotAveraged                     // GM502, accumulated gradients that nothing divides
	BackwardUnused                  // GM501, a machine that goes backwards for nothing
)

// habits judges every function of the package.
func (e *engine) habits() []Verdict {
	h := e.habit()
	var list []Verdict
	for _, fn := range e.funcs {
		if fn.Parent() != nil {
			continue // with its parent
		}
		ops := h.scan(fn)
		if ops.has(rules.OpFlush) || h.local(fn) && h.callsWrapper(fn) {
			list = append(list, h.flushes(fn)...)
		}
		list = append(list, h.orders(fn)...)
		list = append(list, h.threads(fn)...)
		list = append(list, h.churns(fn)...)
		if h.differentiates() {
			list = append(list, h.evaluations(fn)...)
			list = append(list, h.machines(fn)...)
			list = append(list, h.accumulations(fn)...)
		}
	}
	return list
}

// habits is the engine with what the judges of one package share.
type habits struct {
	*engine
	ops       map[*ssa.Function]opSet
	only      map[*ssa.Alloc]ssa.Value
	orderMemo map[*ssa.Function][]OrderFact
	lives     map[*ssa.Function][2]map[string]bool
	parents   map[string][]string
	grads     map[*ssa.Function][]int
	quiet     map[*ssa.Function]bool // called in scopes without gradients
	callers   map[*ssa.Function][]ssa.CallInstruction
	params    map[*ssa.Parameter]*graphRun
	reach     map[*ssa.Function]reachable
	caches    map[string]bool
	forwardIn *bool
	bound     *bool
}

// habit is the engine's one instance: facts and verdicts need the same answers.
func (e *engine) habit() *habits {
	if e.hab == nil {
		e.hab = &habits{
			engine: e, ops: map[*ssa.Function]opSet{}, only: map[*ssa.Alloc]ssa.Value{},
			grads: map[*ssa.Function][]int{}, quiet: map[*ssa.Function]bool{},
			params: map[*ssa.Parameter]*graphRun{}, reach: map[*ssa.Function]reachable{},
			orderMemo: map[*ssa.Function][]OrderFact{}, lives: map[*ssa.Function][2]map[string]bool{},
		}
	}
	return e.hab
}

// opSet is the kinds of modelled calls in a function and its literals.
type opSet uint64

func (s opSet) has(op rules.Op) bool { return s&(1<<op) != 0 }

// differentiates reports whether the package has anything to do with
// gradients: itself, or through the functions of a package that it imports.
func (h *habits) differentiates() bool {
	if h.forwardIn == nil {
		found := false
		for _, fn := range h.funcs {
			if fn.Parent() != nil || found {
				continue
			}
			eachCall(fn, func(in ssa.CallInstruction) {
				c := in.Common()
				if m := h.callModel(c); m != nil {
					found = found || does(m, rules.OpGrad) || does(m, rules.OpBackward)
				} else if obj := h.callObject(c); obj != nil {
					f := h.fact(obj)
					found = found || f != nil && len(f.Grad) > 0
				}
			})
		}
		h.forwardIn = &found
	}
	return *h.forwardIn
}

// scan collects the operations of fn and its literals: most functions have
// none that matters here.
func (h *habits) scan(fn *ssa.Function) opSet {
	if s, ok := h.ops[fn]; ok {
		return s
	}
	var s opSet
	eachCall(fn, func(in ssa.CallInstruction) {
		if m := h.callModel(in.Common()); m != nil {
			for _, eff := range m.Effects {
				s |= 1 << eff.Op
			}
		}
	})
	h.ops[fn] = s
	return s
}

// eachCall visits the calls of fn and its literals in order: plain, deferred
// and started ones.
func eachCall(fn *ssa.Function, visit func(ssa.CallInstruction)) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if call, ok := in.(ssa.CallInstruction); ok {
				visit(call)
			}
		}
	}
	for _, anon := range fn.AnonFuncs {
		eachCall(anon, visit)
	}
}

// does reports whether m has an effect of the kind op.
func does(m *rules.Func, op rules.Op) bool {
	if m == nil {
		return false
	}
	for _, eff := range m.Effects {
		if eff.Op == op {
			return true
		}
	}
	return false
}

// localCallee is the function of this package that a call runs, or nil.
func (e *engine) localCallee(c *ssa.CallCommon) *ssa.Function {
	fn := c.StaticCallee()
	if fn == nil {
		fn = e.varFunc(c.Value)
	}
	if fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if !e.local(fn) {
		return nil
	}
	return fn
}

// callName is the callee of any call instruction as the user writes it.
func (e *engine) callName(in ssa.CallInstruction) string {
	if lit := bodyOf(in.Common()); lit != nil {
		if inner := innerC(lit); inner != nil {
			return e.calleeName(&inner.Call) // cgo's literal
		}
	}
	if call, ok := in.(*ssa.Call); ok {
		return e.sourceName(call)
	}
	return e.calleeName(in.Common())
}

// inTest reports whether fn gets a *testing.T, B, F or M: what tests repeat is
// not hot.
func inTest(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	for _, p := range fn.Params {
		if n := namedOf(p.Type()); n != nil && n.Obj().Pkg().Path() == "testing" {
			return true
		}
	}
	return false
}

// literalOf is the function literal that a value is, or nil.
func literalOf(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	case *ssa.Function:
		if v.Parent() != nil {
			return v
		}
	case *ssa.ChangeType:
		return literalOf(v.X)
	case *ssa.MakeInterface:
		return literalOf(v.X)
	}
	return nil
}

// isModelled reports whether a call is one of a modelled library or of C.
func (e *engine) isModelled(c *ssa.CallCommon) bool {
	if e.callModel(c) != nil {
		return true
	}
	if fn := c.StaticCallee(); fn != nil {
		return strings.HasPrefix(fn.Name(), "_Cfunc_")
	}
	return false
}
