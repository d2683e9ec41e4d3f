// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// Kind says what is wrong; each belongs to one rule.
type Kind uint8

// The verdicts of the engine.
const (
	ErrorPath   Kind = iota + 1 // GM101
	NotReleased                 // GM102
	EachTurn                    // GM102, lost at the end of each iteration
	OwnerLacks                  // GM102, stored in a type that cannot release it
	Discarded                   // GM103
	Overwritten                 // GM104
	DeferInLoop                 // GM105
	DeferEarly                  // GM106
)

// Verdict is one thing gone wrong, in terms of the source.
type Verdict struct {
	Kind     Kind
	Tier     report.Tier
	Pos, End token.Pos
	Class    Class
	Callee   string    // what acquired it, as the user writes it
	Acquired token.Pos // where
	Function string    // in which function
	Failed   string    // the call whose failure the path is on, or ""
	FailedAt token.Pos // where it stands, or NoPos
	Name     string    // Overwritten: the variable or field; OwnerLacks: the type
	Nil      bool      // Overwritten with nil
	Always   bool      // NotReleased on every path
	Others   int       // further exits of the same kind
	Detail   string    // a word of the kind's own: per what it grows, how it is dropped
	Trace    []report.Step
	After    *After    // of what happens behind a release; nil for all other kinds
	Fate     *Fate     // how all paths of the acquisition end; nil where it was not made in sight
	Other    string    // GM5xx: the other party, as the user writes it
	OtherAt  token.Pos // and where it stands

	ends  bool      // lost at the end of the process
	cause ssa.Value // what failed on the path, or nil
}

// verdicts judges one acquisition: at most one finding says how it is lost,
// the one that a person would mend first.
func (e *engine) verdicts(sr *siteResult) []Verdict {
	st := sr.site
	base := Verdict{
		Tier: st.acq.class.ceiling(), Class: st.acq.class, Callee: st.name, Function: funcName(sr.root),
		Acquired: e.callPos(st.call), Pos: e.callPos(st.call), End: e.callEnd(st.call),
	}
	var list []Verdict
	var leaks, iters []outcome
	loopDefers := map[*ssa.Defer]bool{}
	good := 0
	borrows := borrowers(sr.outs)
	for _, o := range sr.outs {
		if !borrows.all(o) {
			good++ // a call that cannot be seen may own it
			continue
		}
		switch o.kind {
		case Leak:
			leaks = append(leaks, o)
		case LostIteration:
			iters = append(iters, o)
		case LoopDefer:
			if !loopDefers[o.at] {
				loopDefers[o.at] = true
				v := base
				v.Kind, v.Pos, v.End = DeferInLoop, o.at.Pos(), token.NoPos
				v.Tier = min(v.Tier, report.Likely)
				v.Trace = steps(o.s)
				list = append(list, v)
			}
		default:
			good++
		}
	}
	if len(leaks)+len(iters) == 0 {
		if leaks = sr.panicked; len(leaks) == 0 {
			if v, ok := e.oneOfMany(base, sr); ok {
				list = append(list, v)
			}
			return list
		}
		base.Detail, base.Failed, base.Tier = "panics", leaks[0].panics, min(base.Tier, report.Likely)
	}
	if st.acq.class.Process {
		if leaks = e.processLeaks(sr, leaks); len(leaks) == 0 {
			return list // opened here, closed by somebody else: the usual way
		}
	}
	sort.SliceStable(leaks, func(i, j int) bool { return leaks[i].pos < leaks[j].pos })
	if good == 0 && !sr.degraded {
		// Never released on any path, so no path has to be told from another.
		for _, list := range [][]outcome{leaks, iters} {
			for i := range list {
				list[i].certain = report.Definite
			}
		}
	}
	v := base
	e.judge(&v, sr, leaks, iters, good)
	if v.Kind == 0 || v.ends {
		return list
	}
	e.failsAt(&v)
	if sr.degraded {
		v.Always = false // some paths were not followed to the end
	}
	return append(list, v)
}

// borrowing is the set of unseen calls that, as this function itself treats
// them, only borrow: on a path without failure it releases after the call.
// That says nothing about success paths that do not release (the call may
// consume then), but it does about failures: who borrows when all goes well
// does not consume when it does not.
type borrowing map[ssa.CallInstruction]bool

func borrowers(outs []outcome) borrowing {
	b := borrowing{}
	for _, o := range outs {
		if o.kind == Settled && o.s.cause == nil {
			for c := range o.s.may {
				if !o.s.gaveNil(c) { // what made nothing has taken nothing over
					b[c] = true
				}
			}
		}
	}
	return b
}

// all reports whether an outcome depends on no unseen owner.
func (b borrowing) all(o outcome) bool {
	if o.kind == Settled || len(o.s.may) == 0 {
		return true
	}
	if o.s.cause == nil && (o.ok || o.kind == LostIteration) {
		return false
	}
	for c := range o.s.may {
		if !b[c] {
			return false
		}
	}
	return true
}

// judge picks the verdict.
func (e *engine) judge(v *Verdict, sr *siteResult, leaks, iters []outcome, good int) {
	st := sr.site
	for _, o := range leaks {
		if o.s.lateDefer.IsValid() && e.deferReleases(o.s.lateCall) {
			v.Kind, v.Pos, v.End = DeferEarly, o.s.lateDefer, token.NoPos
			v.setPath(o)
			return
		}
	}
	if good == 0 && !st.acq.ignore && e.isDiscarded(st) {
		v.Kind = Discarded
		first := append(append([]outcome(nil), leaks...), iters...)[0]
		v.setPath(first)
		return
	}
	if good == 0 && st.acq.ignore && e.isDiscarded(st) {
		return
	}
	for _, o := range append(append([]outcome(nil), iters...), leaks...) {
		if allOver(iters) && allOver(leaks) && (o.kind == LostIteration || o.ok || onlyErr(leaks)) {
			v.Kind, v.Pos, v.End = Overwritten, o.s.over, token.NoPos
			v.Name, v.Nil = o.s.overName, o.s.overNil
			v.setPath(o)
			e.endsProcess(v, sr, o)
			return
		}
	}
	if len(iters) > 0 {
		v.Kind = EachTurn
		v.setPath(iters[0])
		return
	}
	var ordinary, failing []outcome
	for _, o := range leaks {
		if o.err && !o.ok {
			failing = append(failing, o)
		} else {
			ordinary = append(ordinary, o)
		}
	}
	if len(ordinary) > 0 {
		o := ordinary[0]
		v.Kind, v.Always = NotReleased, good == 0
		v.setPath(o)
		e.endsProcess(v, sr, o)
		return
	}
	o := failing[0]
	exits := map[token.Pos]bool{}
	for _, f := range failing {
		exits[f.pos] = true
	}
	v.Kind, v.Pos, v.End = ErrorPath, o.pos, token.NoPos
	v.Others = len(exits) - 1
	v.setPath(o)
	e.endsProcess(v, sr, o)
}

// allOver reports whether every loss begins with another value for the only
// name. Where some do not, the missing release is the better explanation.
func allOver(outs []outcome) bool {
	for _, o := range outs {
		if !o.s.over.IsValid() {
			return false
		}
	}
	return true
}

func onlyErr(leaks []outcome) bool {
	for _, o := range leaks {
		if o.ok {
			return false
		}
	}
	return true
}

func (v *Verdict) setPath(o outcome) {
	v.Tier = min(v.Tier, o.certain)
	if len(o.s.may) > 0 {
		v.Tier = min(v.Tier, report.Likely)
	}
	v.Trace, v.cause = steps(o.s), o.s.cause
	if o.pos.IsValid() {
		v.Trace = append(v.Trace, report.Step{Pos: o.pos, Text: lostHere})
	}
}

func steps(s *state) []report.Step {
	var list []report.Step
	for _, t := range s.trace {
		list = append(list, report.Step{Pos: t.pos, Text: t.text})
	}
	return list
}
