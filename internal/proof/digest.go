// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// digest is a Run sorted by tests.
type digest struct {
	Run
	tests  []*testRun
	misuse []track.Record
	inject []track.Record
}

// testRun is one execution of one test.
type testRun struct {
	track.Record
	process int // which of the run's processes
	late    map[int64]bool
}

func newDigest(r Run) *digest {
	d := &digest{Run: r}
	process := 0
	late := map[int64]bool{} // of the current process
	for _, rec := range r.Records {
		switch rec.Kind {
		case track.KindStart:
			process++
			late = map[int64]bool{}
		case track.KindTest:
			d.tests = append(d.tests, &testRun{Record: rec, process: process, late: late})
		case track.KindLate:
			late[rec.ID] = true
		case track.KindMisuse:
			d.misuse = append(d.misuse, rec)
		case track.KindInject:
			d.inject = append(d.inject, rec)
		}
	}
	return d
}

// run returns the n-th execution of a test.
func (d *digest) run(test string, n int) *testRun {
	for _, t := range d.tests {
		if t.Test == test && t.Run == n {
			return t
		}
	}
	return nil
}

// held reports whether an allocation counts as held when the test has ended.
func (t *testRun) held(l *track.Live) bool {
	switch {
	case t.late[l.ID]:
		return false // released after all: a fixture that tests share
	case l.Once:
		return false // made once for the whole process
	case l.Escaped:
		return false // somebody unseen may have released it
	}
	return true
}

func (t *testRun) anyHeld() bool {
	for i := range t.Live {
		if t.held(&t.Live[i]) {
			return true
		}
	}
	for i := range t.Sites {
		if t.Sites[i].Collected > 0 {
			return true
		}
	}
	return false
}

// tally is what a test did with what it acquired at some place.
type tally struct {
	acquired, released, moved, held, collected int
	test                                       string // the subtest that holds
}

// lost is how many nobody released by hand.
func (n tally) lost() int { return n.held + n.collected }

// count sums up the sites whose stack goes through a place.
func (t *testRun) count(at lines) tally {
	return t.countIf(func(s *track.Site) bool { return at.hit(s.Stack) >= 0 })
}

func (t *testRun) countIf(wanted func(*track.Site) bool) tally {
	var n tally
	sites := map[int]bool{}
	for i := range t.Sites {
		s := &t.Sites[i]
		if !wanted(s) {
			continue
		}
		sites[s.Site] = true
		n.acquired += s.Acquired
		n.released += s.Released
		n.moved += s.Moved
		n.collected += s.Collected
	}
	for i := range t.Live {
		l := &t.Live[i]
		if sites[l.Site] && t.held(l) {
			n.held++
			if n.test == "" {
				n.test = l.Test
			}
		}
	}
	if n.test == "" {
		n.test = t.Test
	}
	return n
}

// reaches reports whether the test came to a probe or an injection point.
func (t *testRun) reaches(id string) bool {
	return id != "" && slices.ContainsFunc(t.Points, func(p track.Point) bool { return p.ID == id && p.Hits > 0 })
}

// site returns the site of a number.
func (t *testRun) site(n int) *track.Site {
	for i := range t.Sites {
		if t.Sites[i].Site == n {
			return &t.Sites[i]
		}
	}
	return nil
}

// top is the name of a test without those of its subtests.
func top(test string) string {
	name, _, _ := strings.Cut(test, "/")
	return name
}

func compareTests(a, b Test) int {
	return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Name, b.Name))
}

func sortTests(set map[Test]bool) []Test {
	list := make([]Test, 0, len(set))
	for t := range set {
		list = append(list, t)
	}
	slices.SortFunc(list, compareTests)
	return list
}
