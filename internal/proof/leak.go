// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// leak looks for what is held when a test has ended. What is held after the
// first execution of a test and not acquired by the second was made once. With
// onPath, only tests count that come to the exit which the finding names: what
// others hold may be for their callers to release.
func (s *seen) leak(onPath bool) *output.Proof {
	at := s.claim.acquired
	if s.claim.probe == "" || s.c.noPoint[s.claim.probe] != "" {
		onPath = false // nobody can tell
	}
	for _, d := range s.c.plain() {
		for _, t := range d.tests {
			n := t.count(at)
			if t.Failed || n.lost() == 0 {
				continue
			}
			if onPath && !t.reaches(s.claim.probe) {
				s.why = fmt.Sprintf("what is held after %s did not come to %s", t.Test, s.place(Place{s.claim.Finding.Path, s.claim.Finding.Line}))
				continue
			}
			test := Test{d.Package, t.Test}
			if once := s.c.settled(test, func(t *testRun) tally { return t.count(at) }); once != "" {
				s.why = once
				continue
			}
			return s.confirm(test, n.test, "%s", s.lostWords(n, t.Test, ""))
		}
	}
	if s.why == "" && s.tests > 0 {
		s.why = fmt.Sprintf("%s acquired %d at %s and released all", count(s.tests, "test"), s.had, s.place(s.claim.Acquired))
	}
	return nil
}

// elsewhereRules report the loss of what may have been acquired anywhere.
var elsewhereRules = map[string]bool{"GM102": true, "GM104": true, "GM201": true, "GM202": true, "GM203": true}

// elsewhere looks for the loss of a claim that names no acquisition which
// anybody has seen: an element that is removed from a container, a field that
// is overwritten. It is shown by a test that comes to the line and holds,
// twice, something of that kind which the claim's package acquired and no
// other claim is about.
func (s *seen) elsewhere() *output.Proof {
	cl := s.claim
	if !elsewhereRules[cl.Finding.Rule] || s.tests > 0 || s.came == 0 {
		return nil // there is better evidence, or none
	}
	for _, d := range s.c.plain() {
		for _, t := range d.tests {
			if t.Failed || !t.reaches(cl.probe) {
				continue
			}
			test := Test{d.Package, t.Test}
			for i := range t.Sites {
				site := &t.Sites[i]
				if !s.likely(site) {
					continue
				}
				same := func(t *testRun) tally {
					return t.countIf(func(other *track.Site) bool { return slices.Equal(other.Stack, site.Stack) })
				}
				n := same(t)
				if n.held == 0 || !s.c.twice(test, same) {
					continue
				}
				frame := site.Stack[s.c.userFrame(site.Stack)]
				cl.explains = lines{frame.File, frame.Line, frame.Line}
				return s.confirm(test, n.test, "%d of %d acquired at %s:%d still held when %s ends, which comes by here",
					n.held, n.acquired, s.c.o.Rel(frame.File), frame.Line, t.Test)
			}
		}
	}
	return nil
}

// likely reports whether what a site acquires may be what the claim is about.
func (s *seen) likely(site *track.Site) bool {
	if len(site.Stack) == 0 || !strings.Contains(s.claim.Finding.Resource, s.c.o.Noun(site.Class)) {
		return false // another kind of resource
	}
	pkg := strings.TrimSuffix(s.claim.Finding.Package, "_test")
	if !slices.ContainsFunc(site.Stack, func(f track.Frame) bool { return !f.Library && packageOf(f.Func) == pkg }) {
		return false // the claim's package has no part in it
	}
	return !slices.ContainsFunc(s.c.claims, func(other *claim) bool { return other != s.claim && other.acquired.hit(site.Stack) >= 0 })
}

// lostWords tells how much of what was acquired nobody released.
func (s *seen) lostWords(n tally, test, with string) string {
	at := s.place(s.claim.Acquired)
	if n.held == 0 {
		return fmt.Sprintf("%d of %d acquired at %s in %s came back by the garbage collector alone%s", n.collected, n.acquired, at, test, with)
	}
	return fmt.Sprintf("%d of %d acquired at %s still held when %s ends%s", n.lost(), n.acquired, at, test, with)
}

// settled says why what a test holds is no leak, from the run in which each
// test ran twice. It is empty if it is one, and where nothing can be said.
func (c *Case) settled(test Test, counted func(*testRun) tally) string {
	for _, d := range c.runs {
		if !d.Again || d.Package != test.Package {
			continue
		}
		first, second := d.run(test.Name, 1), d.run(test.Name, 2)
		if first == nil || second == nil || second.Failed {
			continue // a test that cannot run twice: its first run must do
		}
		a, b := counted(first), counted(second)
		switch {
		case a.lost() == 0 && b.lost() == 0:
			return fmt.Sprintf("held after %s in one run and not in another", test.Name)
		case b.acquired == 0:
			return fmt.Sprintf("held after %s, but made once: a second run of the test acquires nothing", test.Name)
		case b.lost() == 0:
			return fmt.Sprintf("held after the first run of %s and not after the second", test.Name)
		}
	}
	return ""
}
