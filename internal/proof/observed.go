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

// The rules under which a run's own findings are reported.
const (
	ruleLeak   = "GM102"
	ruleUse    = "GM301"
	ruleDouble = "GM302"
)

// pass is what stands in for the name of an analyzer.
const pass = "test"

// sighting is a leak that no claim speaks of, over all tests.
type sighting struct {
	rule     string
	stack    []track.Frame
	class    string
	call     string
	tests    map[Test]string // what happened in each
	subtests map[Test]string
}

// observed returns the findings that the runs make by themselves.
func (c *Case) observed(proofs []*output.Proof) []output.Finding {
	found := map[string]*sighting{}
	runs := 0
	for _, d := range c.plain() {
		runs++
		for _, t := range d.tests {
			if !t.Failed {
				c.leaks(found, Test{d.Package, t.Test}, t, proofs)
			}
		}
		for i := range d.misuse {
			c.misuses(found, d, &d.misuse[i])
		}
	}
	keys := make([]string, 0, len(found))
	for k := range found {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var list []output.Finding
	for _, k := range keys {
		list = append(list, c.finding(found[k], runs))
	}
	return list
}

// leaks collects what a test holds at its end and no claim speaks of.
func (c *Case) leaks(found map[string]*sighting, test Test, t *testRun, proofs []*output.Proof) {
	if c.o.Wants != nil && !c.o.Wants(ruleLeak) {
		return // not asked for
	}
	held := map[int]int{}
	subtest := map[int]string{}
	for i := range t.Live {
		l := &t.Live[i]
		if l.Process || l.Backstop || l.Inferred || !t.held(l) {
			continue // right as it is, or not certain
		}
		held[l.Site]++
		subtest[l.Site] = l.Test
	}
	for i := range t.Sites {
		site := &t.Sites[i]
		n := held[site.Site]
		if n == 0 || len(site.Stack) == 0 || c.spokenOf(site.Stack, proofs) || c.silenced(site.Stack) {
			continue
		}
		same := func(t *testRun) tally {
			return t.countIf(func(other *track.Site) bool { return slices.Equal(other.Stack, site.Stack) })
		}
		if !c.twice(test, same) {
			continue // made once for all tests, as far as anybody can tell
		}
		s := c.sighting(found, ruleLeak, site.Stack, site.Class, site.Call)
		s.tests[test] = fmt.Sprintf("%d of %d acquired in %s still held when it ends", n, site.Acquired, test.Name)
		s.subtests[test] = subtest[site.Site]
	}
}

// twice reports whether a second execution of the test in the same process
// holds as well. Without one there is no certainty, and so no finding.
func (c *Case) twice(test Test, counted func(*testRun) tally) bool {
	for _, d := range c.runs {
		if !d.Again || d.Package != test.Package {
			continue
		}
		first, second := d.run(test.Name, 1), d.run(test.Name, 2)
		if first != nil && second != nil && !first.Failed && !second.Failed && counted(first).held > 0 && counted(second).held > 0 {
			return true
		}
	}
	return false
}

// spokenOf reports whether a claim is about what was acquired there. One about
// an error path does not explain what is held when nothing fails, unless it
// stands confirmed: then the two are one defect.
func (c *Case) spokenOf(stack []track.Frame, proofs []*output.Proof) bool {
	for i, cl := range c.claims {
		if cl.explains.hit(stack) >= 0 {
			return true
		}
		if cl.acquired.hit(stack) < 0 {
			continue
		}
		switch evidenceOf(cl.Finding.Rule) {
		case byLeak, byGrowth:
			return true
		case byFailure:
			if !cl.onFailure || proofs[i].Verdict == output.Confirmed {
				return true
			}
		}
	}
	return false
}

// silenced reports whether the user has told the linter to leave it alone, at
// the acquisition or at a call on the way to it.
func (c *Case) silenced(stack []track.Frame) bool {
	return slices.ContainsFunc(stack, func(f track.Frame) bool {
		return !f.Library && c.o.Ours(f.File) && c.o.Silenced(f.File, f.Line)
	})
}

// misuses collects what was released twice or used after its release.
func (c *Case) misuses(found map[string]*sighting, d *digest, m *track.Record) {
	rule := ruleUse
	if m.Misuse == track.DoubleRelease {
		rule = ruleDouble
	}
	if c.o.Wants != nil && !c.o.Wants(rule) || len(m.Stack) == 0 || c.silenced(m.Stack) {
		return
	}
	for _, cl := range c.claims {
		s := &seen{c: c, claim: cl}
		if evidenceOf(cl.Finding.Rule) == byMisuse && s.concerns(m) {
			return // the linter says it
		}
	}
	s := c.sighting(found, rule, m.Stack, m.Class, m.Call)
	test := Test{d.Package, top(m.Test)}
	s.tests[test] = c.misuseWords(m)
	s.subtests[test] = m.Test
}

// sighting finds or makes the entry for a place, a class and a rule.
func (c *Case) sighting(found map[string]*sighting, rule string, stack []track.Frame, class, call string) *sighting {
	at := stack[c.userFrame(stack)]
	key := fmt.Sprintf("%s\x00%08d\x00%s\x00%s", at.File, at.Line, rule, class)
	s := found[key]
	if s == nil {
		s = &sighting{rule: rule, stack: stack, class: class, call: call, tests: map[Test]string{}, subtests: map[Test]string{}}
		found[key] = s
	}
	return s
}

// finding words a sighting. The place is the innermost line of the user's own
// code: that is what somebody has to change.
func (c *Case) finding(s *sighting, runs int) output.Finding {
	i := c.userFrame(s.stack)
	at := s.stack[i]
	set := map[Test]bool{}
	for t := range s.tests {
		set[t] = true
	}
	tests := sortTests(set)
	first := tests[0]
	noun := c.o.Noun(s.class)
	f := output.Finding{
		Rule: s.rule, Pass: pass, Tier: output.TierObserved, Package: packageOf(at.Func),
		File: c.o.Rel(at.File), Line: at.Line, Column: 1, Path: at.File,
		Function: functionOf(at.Func), Resource: noun, Trace: c.trace(s.stack),
	}
	switch s.rule {
	case ruleLeak:
		f.Message = fmt.Sprintf("%s from %s is still held when %s ends: release it, or hand it to somebody who does (%s)", noun, shortCall(s.call), first.Name, s.rule)
		f.Acquired = &output.Place{File: f.File, Line: f.Line}
	case ruleUse:
		f.Message = fmt.Sprintf("%s is used by %s after its release: release it after the last use (%s)", noun, shortCall(s.call), s.rule)
	default:
		f.Message = fmt.Sprintf("%s is released twice, the second time by %s: leave the release to one owner (%s)", noun, shortCall(s.call), s.rule)
	}
	cl := &claim{Claim: Claim{Finding: f}}
	detail := s.tests[first]
	if n := len(tests) - 1; n > 0 {
		detail += fmt.Sprintf(", and likewise in %s", count(n, "more test"))
	}
	if s.rule == ruleLeak {
		detail += "; run twice, it holds twice"
	}
	f.Proof = &output.Proof{Verdict: output.Observed, Detail: detail, Test: c.testName(cl, first, s.subtests[first]), Runs: runs}
	return f
}

// maxTrace is how many frames of a stack become stops of a path.
const maxTrace = 12

// trace is the user's part of a stack as a path: from the outermost call to
// the acquisition.
func (c *Case) trace(stack []track.Frame) []output.Step {
	inner := c.userFrame(stack)
	var steps []output.Step
	for i := min(len(stack)-1, inner+maxTrace); i >= inner; i-- {
		f := stack[i]
		if standard(f.Func) {
			continue // the testing package, the runtime
		}
		text := "calls " + lastName(stack, i)
		if i == inner {
			text = "acquired here"
		}
		steps = append(steps, output.Step{File: c.o.Rel(f.File), Line: f.Line, Text: text})
	}
	return steps
}

func lastName(stack []track.Frame, i int) string {
	if i == 0 {
		return "it"
	}
	return shortCall(stack[i-1].Func)
}

// standard reports whether a function is of the standard library: its import
// path has no dot before the first slash. Test binaries' main is not there.
func standard(fn string) bool {
	pkg := packageOf(fn)
	first, _, _ := strings.Cut(pkg, "/")
	return pkg == "testing" || pkg == "runtime" || pkg == "sync" || pkg == "reflect" || first == "internal"
}

// packageOf is the import path in the name of a function. The linker writes
// dots of the last element as %2e.
func packageOf(fn string) string {
	slash := strings.LastIndexByte(fn, '/') + 1
	pkg, _, ok := strings.Cut(fn[slash:], ".")
	if !ok {
		return ""
	}
	return fn[:slash] + strings.ReplaceAll(pkg, "%2e", ".")
}

// functionOf is the name of a function without its package.
func functionOf(fn string) string {
	slash := strings.LastIndexByte(fn, '/') + 1
	_, name, _ := strings.Cut(fn[slash:], ".")
	return baseFunc(name)
}
