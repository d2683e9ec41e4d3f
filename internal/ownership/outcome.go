// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// kind is how one path of a run ended.
type kind uint8

const (
	Leak          kind = iota // at a return, nothing leads to it
	LostIteration             // at a back edge, nothing leads to it
	LoopDefer                 // at a back edge, only a deferred release leads to it
	Settled                   // released or handed on
	MayOwn                    // something that cannot be seen may own it
	Returned                  // is in a result
	Stored                    // is in memory that outlives the function
)

// outcome is the end of one path.
type outcome struct {
	kind     kind
	s        *state
	pos      token.Pos
	ret      *ssa.Return
	vals     []val
	fn       *ssa.Function
	at       *ssa.Defer
	ok, err  bool // what the return says
	result   int
	path     string
	into     int
	certain  report.Tier
	sharing  bool // also stored elsewhere
	keeper   int  // sharing: the argument that it is stored below, or -1, and where
	kept     string
	cleanups []int
	field    string // of a returned object: a func that releases it
	captured *clo   // a returned func that holds it and does not release it
	panics   string // the call that panics on this path
}

func settledKind(st status) kind {
	if st == unknown {
		return MayOwn
	}
	return Settled
}

// tier is as certain as the path: one that was told apart from all others is
// there, however many others were not followed to the end.
func (o *outcome) tier(r *run) {
	o.certain = report.Definite
	if o.s != nil && o.s.weak {
		o.certain = report.Possible
	}
}

// fnAnalysis is what following every acquisition of a function has shown.
type fnAnalysis struct {
	fn    *ssa.Function
	sites []*siteResult
	fresh []ResultFact
	lent  []ResultFact
	into  []IntoFact
}

type siteResult struct {
	site     *site
	root     *ssa.Function
	outs     []outcome
	panicked []outcome // of uses that panic, where the function recovers: see run.panics
	degraded bool
	ends     bool // released on some path
	after    bool // and something may touch it afterwards
}

func (a *fnAnalysis) acquisitions() []acquisition {
	if a == nil {
		return nil
	}
	f := FuncFact{Results: a.fresh, Into: a.into}
	return f.acquisitions()
}

// analyze follows every acquisition of fn and of its literals. The answer to
// recursion is that nothing is acquired.
func (e *engine) analyze(fn *ssa.Function) *fnAnalysis {
	if a, ok := e.analyses[fn]; ok {
		return a
	}
	e.analyses[fn] = nil
	a := &fnAnalysis{fn: fn}
	for _, st := range e.sites(fn) {
		root := fn
		r := e.follow(root, st)
		// A literal that runs nowhere that can be seen is followed by itself,
		// the outermost first: cgo's own literals are inside it.
		for _, lit := range enclosing(st.call.Parent(), fn) {
			if r.born {
				break
			}
			root = lit
			r = e.follow(root, st)
		}
		if r.degraded {
			e.degraded[fn] = true
		}
		a.sites = append(a.sites, &siteResult{site: st, root: root, outs: r.outs, panicked: r.panicked, degraded: r.degraded, ends: r.ends, after: r.worth})
	}
	e.summarize(a)
	e.analyses[fn] = a
	return a
}

// enclosing lists lit and the literals around it up to, not including, top.
func enclosing(lit, top *ssa.Function) []*ssa.Function {
	var list []*ssa.Function
	for ; lit != nil && lit != top; lit = lit.Parent() {
		list = append([]*ssa.Function{lit}, list...)
	}
	return list
}

func (e *engine) follow(root *ssa.Function, st *site) *run {
	r := e.newRun(root, st)
	for _, ret := range r.exec(root, newState(), 0) {
		if ret.s.status == live {
			r.finish(ret)
		}
	}
	return r
}

// finish classifies a path that reached a return with the resource alive.
func (r *run) finish(ret ret) {
	o := outcome{s: ret.s, pos: exitPos(ret.in), ret: ret.in, vals: ret.vals, fn: r.root, result: -1}
	o.ok, o.err = exitClass(ret)
	into, path, stored := r.storedAt(ret.s, loc{})
	for i, v := range ret.vals {
		if !ret.s.reach(v) {
			continue
		}
		if c, isClo := v.(*clo); isClo {
			if r.releasedBy(ret.s, c) {
				o.cleanups = append(o.cleanups, i)
				continue
			}
			o.kind, o.result, o.path, o.captured = Returned, i, "()", c
			continue
		}
		if _, isDone := v.(done); isDone {
			o.cleanups = append(o.cleanups, i)
			continue
		}
		p, found := pathIn(ret.s, v, loc{})
		if o.result >= 0 && o.path != "()" {
			continue
		}
		o.kind, o.result, o.path = Returned, i, p
		for path, f := range ret.s.funcsBelow(v) {
			c, isClo := f.(*clo)
			switch {
			case !ret.s.reach(f):
			case !isClo || r.releasedBy(ret.s, c):
				if o.field == "" || path < o.field {
					o.field = path
				}
			case !found:
				o.path, o.captured = "()", c
			}
		}
	}
	switch {
	case o.result >= 0 || len(o.cleanups) > 0:
		o.kind = Returned
		o.sharing, o.keeper, o.kept = stored, into, path
	case stored:
		o.kind, o.into, o.path = Stored, into, path
		if r.storedRelease(ret.s) {
			o.field = "()"
		}
	default:
		o.kind = Leak
	}
	r.out(o)
}

// exitPos is the return statement, or the closing brace where there is none.
func exitPos(in *ssa.Return) token.Pos {
	if in.Pos().IsValid() {
		return in.Pos()
	}
	switch n := in.Parent().Syntax().(type) {
	case *ast.FuncDecl:
		return n.Body.Rbrace
	case *ast.FuncLit:
		return n.Body.Rbrace
	}
	return token.NoPos
}

// funcsBelow are the func values in the fields of a returned object, and in
// slices and objects that these hold: closures, and the func that came with the
// resource to release it.
func (s *state) funcsBelow(v val) map[string]val {
	found := map[string]val{}
	seen := map[loc]bool{}
	var visit func(v val, path string)
	visit = func(v val, path string) {
		switch v := v.(type) {
		case *clo, done:
			if path != "" {
				found[path] = v
			}
		case ptr:
			if seen[v.l] {
				return
			}
			seen[v.l] = true
			for m, x := range s.mem.all() {
				if rest, ok := v.l.under(m); ok && rest != "" {
					visit(x, path+rest)
				}
			}
		case *agg:
			for k, x := range v.m {
				visit(x, path+k)
			}
		}
	}
	visit(v, "")
	return found
}

// storedRelease reports whether a func that releases the resource was stored
// along with it: b.destroy = images.Destroy.
func (r *run) storedRelease(s *state) bool {
	seen := map[loc]bool{}
	var visit func(v val) bool
	visit = func(v val) bool {
		switch v := v.(type) {
		case done:
			return true
		case *clo:
			return s.reach(v) && r.releasedBy(s, v)
		case ptr:
			if seen[v.l] {
				return false
			}
			seen[v.l] = true
			for m, x := range s.mem.all() {
				if _, ok := v.l.under(m); ok && visit(x) {
					return true
				}
			}
		case *agg:
			for _, x := range v.m {
				if visit(x) {
					return true
				}
			}
		}
		return false
	}
	for m, v := range s.mem.all() {
		if !isLocal(m.root) && visit(v) {
			return true
		}
	}
	return false
}

// releasedBy reports whether calling c releases the resource.
func (r *run) releasedBy(s *state, c *clo) bool {
	t := s.clone()
	mark := len(r.outs)
	fr := &frame{fn: r.root, depth: 0}
	iv := &invocation{common: &ssa.CallCommon{Value: c.fn}, fn: c}
	for _, p := range c.fn.Params {
		iv.args = append(iv.args, sym{v: p})
	}
	if c.fn.Object() != nil { // a bound method
		iv.args = nil
		r.resolveFunc(iv, c)
		r.invoke(fr, t, iv)
	} else {
		r.inline(fr, t, c, iv)
	}
	got := false
	for _, o := range r.outs[mark:] {
		got = got || o.kind == Settled
	}
	r.outs = r.outs[:mark]
	return got
}

// summarize derives what callers own from where the paths ended.
func (e *engine) summarize(a *fnAnalysis) {
	seen := map[string]bool{}
	for _, sr := range a.sites {
		if sr.root != a.fn {
			continue
		}
		class := sr.site.acq.class
		var into []IntoFact
		for _, o := range sr.outs {
			switch o.kind {
			case Returned:
				e.addFresh(a, class, sr, o, seen)
			case Stored:
				if o.into < 0 {
					continue
				}
				into = addInto(into, IntoFact{Param: o.into, Path: o.path, Class: class, OK: o.ok, Failed: o.err && !o.ok})
			}
		}
		a.into = append(a.into, into...)
	}
}

func addInto(list []IntoFact, f IntoFact) []IntoFact {
	for i := range list {
		if list[i].Param == f.Param && list[i].Path == f.Path {
			list[i].OK = list[i].OK || f.OK
			list[i].Failed = list[i].Failed || f.Failed
			return list
		}
	}
	return append(list, f)
}
