// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"errors"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// settle sees to it that all fixes of a package can be applied at once, which is
// what go vet -fix does. Fixes that meet at one spot, as two releases before one
// return, become one that mends all their findings. Mostly they can be written
// side by side, and then one trial is enough for the groups of all functions.
// The others are made one after the other, each on what the one before has left:
// see chain.
func (s *search) settle() {
	var open []*trial
	groups := s.groups()
	for _, g := range groups {
		open = append(open, s.sideBySide(g))
	}
	for {
		// One group of a function at a time, as with single candidates.
		var batch []*trial
		for i, tr := range open {
			if tr != nil && !slices.ContainsFunc(batch, func(b *trial) bool { return b.fn() == tr.fn() }) {
				batch = append(batch, tr)
				open[i] = nil
			}
		}
		if len(batch) == 0 || !s.try(batch) {
			break
		}
		for _, tr := range batch {
			for _, t := range tr.tasks {
				if tr.good {
					s.fixes[t.index] = report.Fix{Message: tr.c.message, Edits: tr.c.edits}
				}
			}
			if tr.good {
				groups = slices.DeleteFunc(groups, func(g []*task) bool { return g[0] == tr.tasks[0] })
			}
		}
	}
	for _, g := range groups {
		s.oneByOne(g)
	}
}

// sideBySide writes the fixes of a group next to each other, in the order in
// which chain would have made them. It returns nil if two of them change the same
// text, or if one is possible only when another has been made.
func (s *search) sideBySide(group []*task) *trial {
	type step struct {
		report.Edit
		place int // in the group
	}
	tr := &trial{tasks: group, c: candidate{extra: map[string]bool{}}}
	var steps []step
	var messages []string
	behind := map[report.Edit]bool{}
	for k, t := range group {
		i := slices.IndexFunc(s.proved, func(p proof) bool { return p.task == t })
		if i < 0 || t.fn != group[0].fn {
			return nil // waits for another, or is not only of this function
		}
		c := s.proved[i].c
		for _, e := range c.edits {
			if !slices.ContainsFunc(steps, func(o step) bool { return o.Edit == e }) {
				steps = append(steps, step{e, k}) // else: as importing a package
			}
			behind[e] = behind[e] || c.behind[e]
		}
		for f := range c.extra {
			tr.c.extra[f] = true
		}
		if c.in != "" {
			tr.c.in = c.in
		}
		if !slices.Contains(messages, c.message) {
			messages = append(messages, c.message)
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int {
		if c := compareEdits(a.Edit, b.Edit); c != 0 || a.End > a.Start {
			return c
		}
		switch before, after := behind[a.Edit], behind[b.Edit]; {
		case before && !after:
			return -1 // what follows a statement comes before what precedes the next one
		case !before && after:
			return 1
		case before:
			return b.place - a.place // each was put right behind the statement
		}
		return a.place - b.place
	})
	for _, e := range steps {
		last := len(tr.c.edits) - 1
		switch {
		case last < 0 || tr.c.edits[last].File != e.File:
		case e.Start < tr.c.edits[last].End, e.Start == tr.c.edits[last].Start && e.End > e.Start && tr.c.edits[last].End > e.Start:
			return nil // both change this text
		case e.Start == e.End && tr.c.edits[last].Start == e.Start && tr.c.edits[last].End == e.Start:
			tr.c.edits[last].New += e.New // one insertion, for those who sort edits
			continue
		}
		tr.c.edits = append(tr.c.edits, e.Edit)
	}
	if !s.base.formatted(tr.c.edits) {
		return nil
	}
	tr.c.message = strings.Join(messages, "; ")
	return tr
}

// confirm tries all fixes of the package together: each was tried with no more
// than one of every other function. A function in which something new is found
// then keeps its first fix; the others will be offered when that one is made.
func (s *search) confirm() {
	for range maxConfirm {
		together := s.together()
		if len(together) < 2 {
			return // tried as it is
		}
		guilty := s.clash(together)
		if guilty == nil {
			return
		}
		for _, tr := range together {
			if !slices.Contains(guilty, tr) {
				continue
			}
			first := slices.IndexFunc(together, func(o *trial) bool { return o.fn() == tr.fn() })
			if together[first] == tr && slices.ContainsFunc(together[first+1:], func(o *trial) bool { return o.fn() == tr.fn() }) {
				continue
			}
			for _, t := range tr.tasks {
				delete(s.fixes, t.index)
			}
		}
	}
	clear(s.fixes) // what is wrong with them together is not to be seen
}

// maxConfirm bounds how often confirm drops some and tries again.
const maxConfirm = 4

// together lists the fixes that are to be offered, each once.
func (s *search) together() []*trial {
	var list []*trial
	for i := range s.before.verdicts.Verdicts {
		f, ok := s.fixes[i]
		if !ok {
			continue
		}
		t := s.tasks[i]
		k := slices.IndexFunc(list, func(o *trial) bool { return slices.Equal(o.c.edits, f.Edits) })
		if k < 0 {
			list = append(list, &trial{c: candidate{message: f.Message, edits: f.Edits}})
			k = len(list) - 1
		}
		list[k].tasks = append(list[k].tasks, t)
		for _, p := range s.proved {
			if p.task == t {
				list[k].c.in, list[k].c.extra = p.c.in, p.c.extra
			}
		}
	}
	return list
}

// clash tries fixes together and returns those in whose functions something new
// is found, or nil if all is well.
func (s *search) clash(together []*trial) []*trial {
	var edits []report.Edit
	extra := map[string]bool{}
	for _, tr := range together {
		edits = append(edits, tr.c.edits...)
		maps.Copy(extra, tr.c.extra)
	}
	p, err := s.base.patched(merged(edits), extra)
	if p != nil {
		defer p.forget(s.base)
	}
	where := map[string]bool{}
	var te types.Error
	switch {
	case err == nil:
		after, err := p.analyse()
		if err != nil {
			return together
		}
		where = worse(s.before, after)
		if len(where) == 0 {
			return nil
		}
	case p != nil && errors.As(err, &te):
		where[p.funcAt(te.Pos)] = true
	}
	var guilty []*trial
	for _, tr := range together {
		if where[tr.fn()] || where[tr.tasks[0].verdict.Function] || where[tr.c.in] {
			guilty = append(guilty, tr)
		}
	}
	if guilty == nil {
		return together // somebody's doing, but whose?
	}
	return guilty
}
