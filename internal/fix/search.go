// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
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
// afterwards is its own candidate's doing. What was found one by one is tried
// once more all together: see confirm.
type search struct {
	base   *variant
	before *outcome
	fixes  map[int]report.Fix // by the index of the verdict in before
	tasks  map[int]*task      // the same
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

func (s *search) run() {
	queues := map[string][]*task{}
	var order []string
	for i, v := range s.before.verdicts.Verdicts {
		s.base.owner = i
		t := &task{fn: s.base.declName(v), verdict: v, index: i, left: s.base.candidates(v)}
		if len(t.left) == 0 {
			continue // nothing to try
		}
		s.tasks[i] = t
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
			v := batch[0].tasks[0].verdict
			report.Degraded(s.base.pass, v.Pos, v.Function, "no more fixes were looked for: the package has too many findings")
			break
		}
		for _, tr := range batch {
			if tr.good {
				s.accept(tr)
				queues[tr.fn()] = queues[tr.fn()][1:]
			}
		}
	}
	s.settle()
	s.confirm()
}

// next takes the next candidate of a function that is fit to be tried.
func (s *search) next(queues map[string][]*task, fn string) *trial {
	for len(queues[fn]) > 0 {
		t := queues[fn][0]
		for len(t.left) > 0 {
			c := t.left[0]
			t.left = t.left[1:]
			if s.base.formatted(c.edits) {
				return &trial{tasks: []*task{t}, c: c}
			}
		}
		queues[fn] = queues[fn][1:]
	}
	return nil
}

func (s *search) accept(tr *trial) {
	for _, t := range tr.tasks {
		s.proved = append(s.proved, proof{t, tr.c})
		s.fixes[t.index] = report.Fix{Message: tr.c.message, Edits: tr.c.edits}
	}
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
// it did before. Where they all lie in one function, it is enough to look at
// that.
func (v *variant) formatted(edits []report.Edit) bool {
	for _, s := range v.files {
		mine := slices.DeleteFunc(slices.Clone(edits), func(e report.Edit) bool { return e.File != s.name })
		if len(mine) == 0 {
			continue
		}
		part := s
		if start, end, ok := v.function(s, mine); ok {
			part = &source{name: s.name, text: s.text[start:end]}
			for i := range mine {
				mine[i].Start -= start
				mine[i].End -= start
			}
		}
		text, _, err := apply(part, mine)
		if err != nil || s.tidy && !tidy(text) {
			return false
		}
	}
	return true
}

// function returns the bounds of the declared function that has all of the edits,
// which are in order.
func (v *variant) function(s *source, edits []report.Edit) (start, end int, ok bool) {
	file := tokenFile(v.pass.Fset, s.syntax)
	for _, d := range s.syntax.Decls {
		start, end = file.Offset(d.Pos()), file.Offset(d.End())
		if _, isFunc := d.(*ast.FuncDecl); isFunc && start < edits[0].Start && edits[len(edits)-1].End < end {
			return start, end, true
		}
	}
	return 0, 0, false
}
