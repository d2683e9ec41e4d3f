// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// The verdicts of afterlife runs.
const (
	UsedAfter        Kind = iota + 16 // GM301
	ReleasedTwice                     // GM302
	ReleasedBorrowed                  // GM302, only lent
	Outlived                          // GM303, a view or an object that keeps it
	AsyncPending                      // GM303, an operation may still run
	ReadEarly                         // GM303, read before an operation has filled it
)

// After says what a verdict of an afterlife run is about.
type After struct {
	Ended    token.Pos // where the resource was released or taken over
	By       string    // the call that did it
	Verb     string    // "closed"
	Taken    bool      // taken over, not released
	Deferred bool      // that release is a deferred call
	Touch    string    // the call that touches it, "return", "store", or "" for a load
	Late     bool      // by a deferred call
	Copied   bool      // through a copy of the handle
	View     string    // Outlived: the call that made the view; AsyncPending: the operation
	Made     token.Pos // where
	Kept     bool      // Outlived: an object that keeps a reference
}

// misuses runs the afterlife of a function's acquisitions and of what it was
// given.
func (e *engine) misuses(a *fnAnalysis) []Verdict {
	var list []Verdict
	leasing := 0 // not known yet
	for _, sr := range a.sites {
		if sr.site.acq.class.Process || !sr.ends && !hostMemory(sr.site.acq.class.Name) {
			continue
		}
		if !sr.after || !sr.ends {
			if leasing == 0 {
				leasing = e.leasing(a.fn)
			}
			if leasing < 0 {
				continue // nothing can name it once it is released
			}
		}
		r := e.newRun(sr.root, sr.site)
		r.after = true
		r.finishAfter(r.exec(sr.root, newState(), 0))
		base := Verdict{Class: sr.site.acq.class, Callee: sr.site.name, Acquired: e.callPos(sr.site.call), Function: funcName(sr.root)}
		list = append(list, e.judgeMisuse(base, r)...)
	}
	for _, fn := range withLiterals(a.fn) {
		for _, g := range e.givens(fn) {
			list = append(list, e.followGiven(fn, g)...)
		}
	}
	return onePerMisuse(list)
}

// onePerMisuse keeps one verdict for each place: a handle that was acquired here
// and is loaded again from where it was put is followed twice.
func onePerMisuse(list []Verdict) []Verdict {
	type place struct {
		kind Kind
		pos  token.Pos
	}
	seen := map[place]bool{}
	kept := list[:0]
	for _, v := range list {
		p := place{v.Kind, v.Pos}
		if !seen[p] {
			seen[p] = true
			kept = append(kept, v)
		}
	}
	return kept
}

func withLiterals(fn *ssa.Function) []*ssa.Function {
	list := []*ssa.Function{fn}
	for _, anon := range fn.AnonFuncs {
		if !isCgoWrapper(anon) {
			list = append(list, withLiterals(anon)...)
		}
	}
	return list
}

func (e *engine) followGiven(fn *ssa.Function, g given) []Verdict {
	r := e.newRun(fn, nil)
	r.after, r.given = true, &g
	s := newState()
	if p, ok := g.at.(*ssa.Parameter); ok {
		s.status = live
		s.env.set(p, own{})
	}
	r.finishAfter(r.exec(fn, s, 0))
	base := Verdict{Name: g.name, Acquired: g.pos, Function: funcName(fn)}
	if g.from != "" {
		base.Callee = g.from
	}
	return e.judgeMisuse(base, r)
}

func (r *run) finishAfter(rets []ret) {
	for _, ret := range rets {
		if ret.s.status == live {
			r.afterReturn(ret)
		}
	}
}

// leasing reports whether a function makes views or starts operations that go
// on: 1 yes, -1 no.
func (e *engine) leasing(fn *ssa.Function) int {
	for _, f := range withAll(fn) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				call, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if m := e.callModel(call.Common()); m != nil && lends(m) || m == nil && e.helperStarts(call.Common()) {
					return 1
				}
			}
		}
	}
	return -1
}

// lends reports whether a model makes something that leans on an argument.
func lends(m *rules.Func) bool {
	for _, eff := range m.Effects {
		switch eff.Op {
		case rules.OpView, rules.OpBorrow, rules.OpKeep, rules.OpAsync:
			return true
		}
	}
	return false
}

func withAll(fn *ssa.Function) []*ssa.Function {
	list := []*ssa.Function{fn}
	for _, anon := range fn.AnonFuncs {
		list = append(list, withAll(anon)...)
	}
	return list
}

// judgeMisuse turns what the paths of a run have shown into verdicts, one for
// each place.
func (e *engine) judgeMisuse(base Verdict, r *run) []Verdict {
	type place struct {
		kind Kind
		pos  token.Pos
	}
	seen := map[place]int{}
	var list []Verdict
	for _, m := range r.misuses {
		v := base
		v.Kind, v.Tier, v.Pos, v.End = m.kind, m.certain, m.pos, m.end
		if v.Class.Inferred || v.Class.Owner {
			v.Tier = min(v.Tier, report.Likely)
		}
		v.After = &After{Touch: m.callee, Late: m.late, Copied: m.copied}
		if f := m.freed; f != nil {
			v.After.Ended, v.After.By, v.After.Verb, v.After.Taken = f.pos, f.callee, f.verb, f.taken != ""
			_, v.After.Deferred = f.in.(*ssa.Defer)
			if v.Class.Noun == "" {
				v.Class.Noun, v.Class.Verb = orElse(f.noun, "handle"), f.verb
			}
		}
		if m.view != nil {
			v.After.View, v.After.Made, v.After.Kept = m.view.callee, m.view.pos, m.view.kept
		}
		if m.pending != nil {
			v.After.View, v.After.Made = m.pending.callee, m.pending.pos
		}
		if v.Class.Noun == "" {
			v.Class.Noun, v.Class.Verb = "handle", "released"
		}
		if m.kind == ReleasedBorrowed && e.inTest(v.Pos) || e.provokes(v) {
			v.Tier = report.Possible
		}
		for _, t := range m.trace {
			v.Trace = append(v.Trace, report.Step{Pos: t.pos, Text: t.text})
		}
		v.Trace = append(v.Trace, report.Step{Pos: m.pos, Text: touchText(m)})
		v.cause = m.cause
		e.failsAt(&v)
		p := place{m.kind, m.pos}
		if i, ok := seen[p]; ok {
			list[i].Tier = max(list[i].Tier, v.Tier)
			continue
		}
		seen[p] = len(list)
		list = append(list, v)
	}
	return list
}

func touchText(m misuse) string {
	switch m.kind {
	case ReleasedTwice, ReleasedBorrowed:
		return "released here"
	case AsyncPending:
		return "released while it may be in use"
	case ReadEarly:
		return "read here"
	}
	return "used here"
}

// provoking are names of tests that misuse a handle to see what happens.
var provoking = regexp.MustCompile(`(?i)double|twice|after|idempoten|closed|released|destroyed|freed|reuse|again|invalid|misuse|panic`)

// provokes reports whether a misuse looks like the point of a test.
func (e *engine) provokes(v Verdict) bool {
	return e.inTest(v.Pos) && provoking.MatchString(v.Function)
}

// inTest reports whether a position is in a test. What a test releases of
// somebody else's it often means to: to see that nobody needs it any more.
func (e *engine) inTest(pos token.Pos) bool {
	return strings.HasSuffix(e.pass.Fset.Position(pos).Filename, "_test.go")
}
