// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/internal/report"
)

// maxTrials bounds the analyses of one package. Each costs about what the first
// one did, without loading.
const maxTrials = 60

// A search looks for the fixes of a package.
//
// Trying one candidate at a time would cost an analysis of the package each. The
// candidates of different functions do not meet, so each trial takes one of
// every function that still has some: what is new in a function's findings
// afterwards is its own candidate's doing.
type search struct {
	base   *variant
	before *outcome
	fixes  map[int]report.Fix // by the index of the verdict in before
	proved []proof
	trials int
}

// proof is a fix that was tried with success.
type proof struct {
	task *task
	c    candidate
}

// task is a verdict with what may mend it.
type task struct {
	fn      string // the declared function around it, of which at most one candidate is tried at a time
	verdict ownership.Verdict
	index   int // of the verdict
	left    []candidate
}

// trial is a candidate that is being tried.
type trial struct {
	task *task
	c    candidate
	good bool
}

func (s *search) run() {
	queues := map[string][]*task{}
	var order []string
	for i, v := range s.before.verdicts.Verdicts {
		s.base.owner = i
		t := &task{fn: s.base.declName(v), verdict: v, index: i, left: s.base.candidates(v)}
		if len(t.left) == 0 {
			continue // nothing to try
		}
		if queues[t.fn] == nil {
			order = append(order, t.fn)
		}
		queues[t.fn] = append(queues[t.fn], t)
	}
	for {
		var batch []*trial
		for _, fn := range order {
			if tr := s.next(queues, fn); tr != nil {
				batch = append(batch, tr)
			}
		}
		if len(batch) == 0 {
			break
		}
		if !s.try(batch) {
			v := batch[0].task.verdict
			report.Degraded(s.base.pass, v.Pos, v.Function, "no more fixes were looked for: the package has too many findings")
			break
		}
		for _, tr := range batch {
			if tr.good {
				s.accept(tr)
				queues[tr.task.fn] = queues[tr.task.fn][1:]
			}
		}
	}
	s.settle()
}

// next takes the next candidate of a function that is fit to be tried.
func (s *search) next(queues map[string][]*task, fn string) *trial {
	for len(queues[fn]) > 0 {
		t := queues[fn][0]
		for len(t.left) > 0 {
			c := t.left[0]
			t.left = t.left[1:]
			if s.base.formatted(c.edits) {
				return &trial{task: t, c: c}
			}
		}
		queues[fn] = queues[fn][1:]
	}
	return nil
}

func (s *search) accept(tr *trial) {
	s.proved = append(s.proved, proof{tr.task, tr.c})
	s.fixes[tr.task.index] = report.Fix{Message: tr.c.message, Edits: tr.c.edits}
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
		return s.alone(batch)
	}
	worse := map[string]bool{}
	for k, n := range after.count {
		if n > s.before.count[k] {
			worse[after.function[k]] = true
		}
	}
	mine := map[string]bool{}
	for _, tr := range batch {
		mine[tr.task.verdict.Function] = true
		mine[tr.c.in] = true
	}
	for fn := range worse {
		if !mine[fn] {
			return s.alone(batch) // somebody's doing, but whose?
		}
	}
	for _, tr := range batch {
		tr.good = !worse[tr.task.verdict.Function] && !worse[tr.c.in] && fewer(s.before, after, s.said(tr.task.verdict))
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

// alone tries each of a batch by itself.
func (s *search) alone(batch []*trial) bool {
	if len(batch) == 1 {
		return true // no good
	}
	for _, tr := range batch {
		if !s.try([]*trial{tr}) {
			return false
		}
	}
	return true
}

// tryOthers tries a batch again without the candidates that do not compile.
func (s *search) tryOthers(batch []*trial, p *variant, err error) bool {
	var te types.Error
	if len(batch) == 1 || p == nil || !errors.As(err, &te) {
		return s.alone(batch)
	}
	guilty := p.funcAt(te.Pos)
	rest := slices.DeleteFunc(slices.Clone(batch), func(tr *trial) bool { return tr.task.fn == guilty })
	if len(rest) == len(batch) {
		return s.alone(batch)
	}
	return s.try(rest)
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

// declName identifies the declared function that a verdict's edits will be in.
func (v *variant) declName(verdict ownership.Verdict) string {
	pos := verdict.Pos
	if verdict.Kind == ownership.OwnerLacks {
		return "type " + verdict.Name // in a method of the type
	}
	return v.funcAt(pos)
}

// funcAt names the declared function around a position.
func (v *variant) funcAt(pos token.Pos) string {
	s := v.file(pos)
	if s == nil {
		return ""
	}
	for _, d := range s.syntax.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || pos < d.Pos() || pos > d.End() {
			continue
		}
		name := fd.Name.Name
		if fd.Recv != nil && len(fd.Recv.List) > 0 {
			name = types.ExprString(fd.Recv.List[0].Type) + "." + name
		}
		return s.name + ":" + name
	}
	return s.name
}

// formatted reports whether gofmt would leave a file alone after the edits, if
// it did before.
func (v *variant) formatted(edits []report.Edit) bool {
	for _, s := range v.files {
		text, changed, err := apply(s, edits)
		if err != nil || changed && s.tidy && !tidy(text) {
			return false
		}
	}
	return true
}
