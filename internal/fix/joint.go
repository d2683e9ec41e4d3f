// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/internal/report"
)

// oneByOne offers what chain makes of a group or, failing that, the first of its
// fixes: the others come once that is made.
func (s *search) oneByOne(group []*task) {
	fix, ok := s.chain(group)
	for i, t := range group {
		switch {
		case ok:
			s.fixes[t.index] = fix
		case i > 0:
			delete(s.fixes, t.index)
		}
	}
}

// groups lists the verdicts whose fixes meet.
func (s *search) groups() [][]*task {
	var groups [][]*task
	used := map[*task]bool{}
	for i, a := range s.proved {
		if used[a.task] {
			continue
		}
		group := []proof{a}
		for grown := true; grown; {
			grown = false
			for _, b := range s.proved[i+1:] {
				if !used[b.task] && !slices.Contains(tasks(group), b.task) && slices.ContainsFunc(group, func(x proof) bool { return meet(x.c.edits, b.c.edits) }) {
					group = append(group, b)
					grown = true
				}
			}
		}
		list := append(tasks(group), s.waiting(group)...)
		for _, t := range list {
			used[t] = true
		}
		if len(list) > 1 {
			slices.SortStableFunc(list, func(a, b *task) int {
				x, y := a.verdict, b.verdict
				switch {
				case x.Acquired == y.Acquired && x.Fate != nil && y.Fate != nil:
					return cmp.Compare(y.Fate.Result, x.Fate.Result) // of one call: the parent comes first
				case x.Kind == ownership.Discarded:
					return cmp.Compare(x.Acquired, y.Acquired) // in the order of evaluation
				}
				return cmp.Compare(b.verdict.Acquired, a.verdict.Acquired) // what came last goes first
			})
			groups = append(groups, list)
		}
	}
	return groups
}

func tasks(group []proof) []*task {
	var list []*task
	for _, p := range group {
		list = append(list, p.task)
	}
	return list
}

// waiting lists temporaries without a fix in the statements of temporaries that
// have one.
func (s *search) waiting(group []proof) []*task {
	var list []*task
	for _, p := range group {
		if p.task.verdict.Kind != ownership.Discarded {
			continue
		}
		site := s.base.locate(p.task.verdict)
		for i, v := range s.before.verdicts.Verdicts {
			if v.Kind != ownership.Discarded || site == nil || v.Acquired < site.anchor().Pos() || v.Acquired > site.anchor().End() {
				continue
			}
			if _, has := s.fixes[i]; !has && !slices.ContainsFunc(list, func(t *task) bool { return t.index == i }) {
				t := &task{fn: p.task.fn, verdict: v, index: i}
				s.tasks[i] = t
				list = append(list, t)
			}
		}
	}
	return list
}

// meet reports whether two fixes change one spot in different ways.
func meet(a, b []report.Edit) bool {
	for _, x := range a {
		for _, y := range b {
			if x != y && x.File == y.File && x.Start <= y.End && y.Start <= x.End {
				return true
			}
		}
	}
	return false
}

// chain makes the fixes of a group one after the other.
func (s *search) chain(group []*task) (report.Fix, bool) {
	cur, found := s.base, s.before
	var messages []string
	var steps [][]report.Edit
	for _, t := range group {
		v, ok := s.moved(cur, found, t.verdict, steps)
		if !ok {
			return report.Fix{}, false
		}
		next := false
		cur.owner = t.index
		for _, c := range cur.candidates(v) {
			if s.trials == maxTrials || !cur.formatted(c.edits) {
				continue
			}
			s.trials++
			p, err := cur.patched(c.edits, c.extra)
			if err != nil {
				continue
			}
			defer p.forget(s.base)
			after, err := p.analyse()
			if err != nil || len(worse(found, after)) > 0 || !fewer(found, after, found.said[where{v.Pos, v.Acquired}]) {
				continue
			}
			if !slices.Contains(messages, c.message) {
				messages = append(messages, c.message)
			}
			steps = append(steps, c.edits)
			cur, found, next = p, after, true
			break
		}
		if !next {
			return report.Fix{}, false
		}
	}
	return report.Fix{Message: strings.Join(messages, "; "), Edits: s.base.difference(cur)}, true
}

// moved finds a verdict of the base among those of a variant that some steps
// have led to.
func (s *search) moved(cur *variant, found *outcome, v ownership.Verdict, steps [][]report.Edit) (ownership.Verdict, bool) {
	src := s.base.file(v.Acquired)
	if src == nil {
		return v, false
	}
	at := tokenFile(s.base.pass.Fset, src.syntax).Offset(v.Acquired)
	for _, edits := range steps {
		shift := 0
		for _, e := range edits {
			if e.File == src.name && e.End <= at {
				shift += len(e.New) - (e.End - e.Start)
			}
		}
		at += shift
	}
	for _, w := range found.verdicts.Verdicts {
		ws := cur.file(w.Acquired)
		if ws != nil && ws.name == src.name && w.Kind == v.Kind && w.Callee == v.Callee &&
			tokenFile(cur.pass.Fset, ws.syntax).Offset(w.Acquired) == at {
			return w, true
		}
	}
	return v, false
}

// difference lists the edits that make v's texts into those of w, in whole
// lines: what is equal at both ends of a file stays, and what lies between is
// compared line by line.
func (v *variant) difference(w *variant) []report.Edit {
	var edits []report.Edit
	for _, a := range v.files {
		for _, b := range w.files {
			if a.name == b.name && a.text != nil && !bytes.Equal(a.text, b.text) {
				for _, e := range lineEdits(a.name, bytes.SplitAfter(a.text, []byte("\n")), bytes.SplitAfter(b.text, []byte("\n"))) {
					edits = append(edits, slide(e, a.text))
				}
			}
		}
	}
	return edits
}

// slide moves inserted lines up as far as they can be without changing what comes
// of them, so that one insertion, as of an import, is the same edit in all fixes.
func slide(e report.Edit, text []byte) report.Edit {
	for e.Start == e.End {
		line := text[bytes.LastIndexByte(text[:max(e.Start-1, 0)], '\n')+1 : e.Start]
		rest, ok := strings.CutSuffix(e.New, string(line))
		if !ok || len(line) == 0 || rest != "" && !strings.HasSuffix(rest, "\n") {
			break
		}
		e.New = string(line) + rest
		e.Start -= len(line)
		e.End = e.Start
	}
	return e
}

// lineEdits compares two texts by their longest common subsequence of lines.
func lineEdits(name string, a, b [][]byte) []report.Edit {
	start, offset := 0, 0
	for start < len(a) && start < len(b) && bytes.Equal(a[start], b[start]) {
		offset += len(a[start])
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && bytes.Equal(a[endA-1], b[endB-1]) {
		endA--
		endB--
	}
	a, b = a[start:endA], b[start:endB]
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if bytes.Equal(a[i], b[j]) {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var edits []report.Edit
	open := false
	change := func(del, ins []byte) {
		if !open {
			edits = append(edits, report.Edit{File: name, Start: offset, End: offset})
			open = true
		}
		e := &edits[len(edits)-1]
		e.End += len(del)
		e.New += string(ins)
		offset += len(del)
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && bytes.Equal(a[i], b[j]):
			offset += len(a[i])
			open = false
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			change(a[i], nil)
			i++
		default:
			change(nil, b[j])
			j++
		}
	}
	return edits
}
