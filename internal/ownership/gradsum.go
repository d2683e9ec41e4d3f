// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// accumulations reports what grows or adds up from step to step (GM502): sums
// that keep the graphs of all steps, and gradients that nobody sets to zero or
// takes the mean of.
func (h *habits) accumulations(fn *ssa.Function) []Verdict {
	list := h.sums(fn)
	return append(list, h.training(fn)...)
}

// A sum is a tensor that every turn of a loop adds to.
//
//	t5 = phi [0: t2, 2: t9] #total
//	t9 = t5.MustAdd(t8, true)       t8 carries the graph of this turn
type sum struct {
	add   *ssa.Call
	total []ssa.Value // the values that the sum has: the phi, or the loads of a variable
	term  ssa.Value
	name  string
}

// sums reports sums of values with a graph that nothing goes back through.
func (h *habits) sums(fn *ssa.Function) []Verdict {
	var list []Verdict
	seen := map[*ssa.Call]bool{}
	for _, f := range h.forwards(fn) {
		if h.inNoGrad(f.call) {
			continue // no graph
		}
		t, ok := h.turnOf(f.call.Block())
		if !ok {
			continue // one forward, one graph
		}
		g := h.graphOf(fn, f.value, f.tensor)
		for _, s := range h.sumsOf(fn, t, g) {
			if seen[s.add] {
				continue
			}
			seen[s.add] = true
			if v, ok := h.sumVerdict(fn, f, g, s); ok {
				list = append(list, v)
			}
		}
	}
	return list
}

// sumsOf finds the sums of the loop that take a value of g as a term.
func (h *habits) sumsOf(fn *ssa.Function, t turn, g *graphRun) []sum {
	var list []sum
	eachCall(fn, func(in ssa.CallInstruction) {
		call, ok := in.(*ssa.Call)
		if !ok || h.callModel(&call.Call) == nil {
			return
		}
		ops := operands(&call.Call)
		if len(ops) < 2 {
			return
		}
		for _, pair := range [][2]ssa.Value{{ops[0], ops[1]}, {ops[1], ops[0]}} {
			total, term := pair[0], pair[1]
			if !g.seen[term] || !g.carries(total.Type()) || !g.carries(term.Type()) {
				continue
			}
			if s, ok := h.sumOf(t, call, total, term); ok {
				list = append(list, s)
				return
			}
		}
	})
	return list
}

// sumOf reports whether call adds term to something that lives from turn to
// turn of the loop.
func (h *habits) sumOf(t turn, call *ssa.Call, total, term ssa.Value) (sum, bool) {
	s := sum{add: call, total: []ssa.Value{total}, term: term}
	switch v := total.(type) {
	case *ssa.Phi:
		// Through the loop's head: the sum of the turn before.
		if v.Parent() != t.fi.fn || v.Block() != t.loop.head || !feedsBack(v, call) {
			return s, false
		}
		s.name = v.Comment
		return s, true
	case *ssa.UnOp:
		// A captured variable that the sum goes back to.
		if v.Op != token.MUL {
			return s, false
		}
		at := h.spotOf(v.X)
		for _, ref := range *call.Referrers() {
			if st, ok := ref.(*ssa.Store); ok && at.known() && h.spotOf(st.Addr) == at {
				s.name = spotName(at)
				return s, h.outside(t, at.root)
			}
		}
	}
	// total.Add_(term): in place, of something from before the loop.
	if strings.HasSuffix(h.callBase(&call.Call), "_") && h.isAdd(call) && h.outside(t, total) {
		s.name = h.nameOf(total)
		return s, true
	}
	return s, false
}

// feedsBack reports whether a phi takes the call's result in the next turn.
func feedsBack(phi *ssa.Phi, call *ssa.Call) bool {
	seen := map[ssa.Value]bool{}
	var from func(v ssa.Value) bool
	from = func(v ssa.Value) bool {
		if seen[v] {
			return false
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Call:
			return v == call
		case *ssa.Extract:
			return v.Tuple == ssa.Value(call)
		case *ssa.Phi:
			for _, e := range v.Edges {
				if e != ssa.Value(phi) && from(e) {
					return true
				}
			}
		}
		return false
	}
	for _, e := range phi.Edges {
		if from(e) {
			return true
		}
	}
	return false
}

// outside reports whether a value is from before the loop.
func (h *habits) outside(t turn, v ssa.Value) bool {
	in, ok := v.(ssa.Instruction)
	if !ok {
		return true // a parameter, a global
	}
	if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
		s := h.spotOf(u.X)
		return s.known() && s.root != v && h.outside(t, s.root)
	}
	return in.Block() != nil && (in.Parent() != t.fi.fn || !t.loop.contains(in.Block())) && !inside(in.Parent(), t)
}

// inside reports whether fn is a literal that the loop's turns run.
func inside(fn *ssa.Function, t turn) bool {
	return fn != t.fi.fn && fn.Parent() != nil && t.at.Parent() == t.fi.fn && fn.Parent() == t.fi.fn
}

// isAdd reports whether an operation is an addition by name.
func (h *habits) isAdd(call *ssa.Call) bool {
	name := strings.TrimPrefix(h.callBase(&call.Call), "Must")
	return strings.HasPrefix(name, "Add")
}

// sumVerdict judges one sum.
func (h *habits) sumVerdict(fn *ssa.Function, f forward, g *graphRun, s sum) (Verdict, bool) {
	if !h.isAdd(s.add) {
		return Verdict{}, false // a state that is carried along, not a sum
	}
	total := h.newGraph(fn, f.tensor)
	for _, v := range s.total {
		total.follow(v)
	}
	total.follow(s.add)
	trained := len(g.backward) > 0
	switch {
	case len(total.backward) > 0:
		return Verdict{}, false // the sum is the loss
	case total.escapes:
		return Verdict{}, false // somebody else may go back through it
	case total.returned && !trained:
		return Verdict{}, false // the caller may
	case total.read == nil && !total.returned:
		return Verdict{}, false // nothing comes of it
	}
	v := Verdict{
		Kind: GraphSummed, Tier: report.Likely, Pos: h.callPos(s.add), End: h.callEnd(s.add),
		Callee: h.forwardName(s.add), Function: funcName(fn), Class: Class{Noun: "graph"},
		Name: s.name, Other: h.nameOf(s.term), OtherAt: h.callPos(f.call),
	}
	if v.Name == "" {
		v.Name = "the sum"
	}
	if v.Other == "" {
		v.Other = "term"
	}
	v.Trace = []report.Step{
		{Pos: v.OtherAt, Text: "the graph of one step begins here"},
		{Pos: v.Pos, Text: "and is kept by the sum"},
	}
	return v, true
}

// nameOf is the user's variable that has a value, or empty.
func (h *habits) nameOf(v ssa.Value) string {
	if v.Referrers() != nil {
		for _, ref := range *v.Referrers() {
			if d, ok := ref.(*ssa.DebugRef); ok && !d.IsAddr {
				if id, ok := d.Expr.(*ast.Ident); ok {
					return id.Name
				}
			}
		}
	}
	if s := h.spotOf(v); s.known() && s.root != v {
		return spotName(s)
	}
	return ""
}

// spotName is how the source calls a spot, or empty.
func spotName(s spot) string {
	name := ""
	switch root := s.root.(type) {
	case *ssa.Alloc:
		name = root.Comment
	case *ssa.Parameter:
		name = root.Name()
	case *ssa.Global:
		name = root.Name()
	case *ssa.FreeVar:
		name = root.Name()
	}
	if !token.IsIdentifier(name) || name == "complit" {
		return ""
	}
	return name + s.path
}
