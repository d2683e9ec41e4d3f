// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"errors"
	"go/types"
	"slices"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/internal/report"
)

// trial is a candidate that is being tried, with the verdicts of one function
// that it is to mend.
type trial struct {
	tasks []*task
	c     candidate
	good  bool
}

// fn is the declared function whose findings the trial is about.
func (tr *trial) fn() string { return tr.tasks[0].fn }

// mended reports whether the findings that a trial is about are gone.
func (tr *trial) mended(s *search, after *outcome) bool {
	for _, t := range tr.tasks {
		if !fewer(s.before, after, s.said(t.verdict)) {
			return false
		}
	}
	return true
}

// try tries candidates of different functions together and marks those that
// mend without harm. It reports false if it may not try any more.
func (s *search) try(batch []*trial) bool {
	if len(batch) == 0 {
		return true
	}
	if s.trials == maxTrials {
		return false
	}
	s.trials++
	var edits []report.Edit
	extra := map[string]bool{}
	for _, tr := range batch {
		edits = append(edits, tr.c.edits...)
		for c := range tr.c.extra {
			extra[c] = true
		}
	}
	p, err := s.base.patched(merged(edits), extra)
	if p != nil {
		defer p.forget(s.base)
	}
	if err != nil {
		return s.tryOthers(batch, p, err)
	}
	after, err := p.analyse()
	if err != nil {
		return s.apart(batch)
	}
	worse := worse(s.before, after)
	mine := map[string]bool{}
	for _, tr := range batch {
		mine[tr.tasks[0].verdict.Function] = true
		mine[tr.c.in] = true
	}
	for fn := range worse {
		if !mine[fn] {
			return s.apart(batch) // somebody's doing, but whose?
		}
	}
	for _, tr := range batch {
		tr.good = !worse[tr.tasks[0].verdict.Function] && !worse[tr.c.in] && tr.mended(s, after)
	}
	return true
}

// said lists what was found where a verdict stands.
func (s *search) said(v ownership.Verdict) []string { return s.before.said[where{v.Pos, v.Acquired}] }

// fewer reports whether some of the findings that keys name are gone.
func fewer(before, after *outcome, keys []string) bool {
	for _, k := range keys {
		if after.count[k] < before.count[k] {
			return true
		}
	}
	return false
}

// worse lists the functions in which something is found that was not found before.
func worse(before, after *outcome) map[string]bool {
	where := map[string]bool{}
	for k, n := range after.count {
		if n > before.count[k] {
			where[after.function[k]] = true
		}
	}
	return where
}

// apart tries the halves of a batch: few of its candidates are to blame.
func (s *search) apart(batch []*trial) bool {
	if len(batch) == 1 {
		return true // no good
	}
	half := len(batch) / 2
	return s.try(batch[:half]) && s.try(batch[half:])
}

// tryOthers tries a batch again without the candidates that do not compile. An
// error that is in no function, as an import that is not used any more, is in a
// file: what changes that is tried by itself.
func (s *search) tryOthers(batch []*trial, p *variant, err error) bool {
	var te types.Error
	if len(batch) == 1 || p == nil || !errors.As(err, &te) {
		return s.apart(batch)
	}
	src := p.file(te.Pos)
	in := p.funcAt(te.Pos)
	guilty := func(tr *trial) bool { return tr.fn() == in }
	if !slices.ContainsFunc(batch, guilty) && src != nil {
		guilty = func(tr *trial) bool {
			return slices.ContainsFunc(tr.c.edits, func(e report.Edit) bool { return e.File == src.name })
		}
	}
	var rest, again []*trial
	for _, tr := range batch {
		switch {
		case !guilty(tr):
			rest = append(rest, tr)
		case tr.fn() != in:
			again = append(again, tr)
		}
	}
	switch {
	case len(rest) == len(batch), len(again) == len(batch):
		return s.apart(batch)
	case len(again) == 1:
		again = nil // it is the one
	}
	return s.try(rest) && s.try(again)
}

// merged sorts edits of independent candidates; what several of them do in the
// same way, as importing a package, is done once.
func merged(edits []report.Edit) []report.Edit {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, compareEdits)
	return slices.Compact(edits)
}

func compareEdits(a, b report.Edit) int {
	switch {
	case a.File < b.File:
		return -1
	case a.File > b.File:
		return 1
	case a.Start != b.Start:
		return a.Start - b.Start
	}
	return a.End - b.End
}
