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

// evidence is what can show that a rule's finding is true.
type evidence uint8

const (
	byLeak    evidence = iota // held when the test has ended
	byFailure                 // held after a call was made to fail, and only then
	byGrowth                  // held more and more in a loop, or when the test has ended
	byLoop                    // held more and more in the loop, and gone at the end
	byMisuse                  // released twice, used after release
	byChurn                   // acquired and released over and over
	byNothing                 // a run does not show it
)

// fails reports whether making a call fail can bring such evidence.
func (e evidence) fails() bool { return e == byFailure || e == byLeak || e == byMisuse }

// evidences says what proves which rule. A rule that is not listed is proved
// as its family is.
var evidences = map[string]evidence{
	"GM101": byFailure,
	"GM105": byLoop,
	"GM204": byLeak,
	"GM205": byLeak,
	"GM401": byMisuse, // of what a Close leaves behind, only a failure in it can be told
	"GM403": byMisuse,
	"GM501": byNothing,
	"GM502": byNothing,
	"GM503": byNothing,
	"GM504": byChurn,
}

func evidenceOf(rule string) evidence {
	if e, ok := evidences[rule]; ok {
		return e
	}
	switch {
	case strings.HasPrefix(rule, "GM2"):
		return byGrowth
	case strings.HasPrefix(rule, "GM3"), strings.HasPrefix(rule, "GM5"):
		return byMisuse
	}
	return byLeak
}

// seen is what has been seen of a claim so far.
type seen struct {
	c     *Case
	claim *claim
	runs  int    // that came by
	tests int    // that acquire what it is about
	came  int    // tests that come to its line
	had   int    // acquired in them
	why   string // why what was seen is no confirmation; the last reason wins
}

func (s *seen) confirm(t Test, subtest, format string, args ...any) *output.Proof {
	return &output.Proof{
		Verdict: output.Confirmed, Detail: fmt.Sprintf(format, args...),
		Test: s.c.testName(s.claim, t, subtest), Runs: s.runs,
	}
}

// testName is the test as the reader knows it: with its package where that is
// not the finding's.
func (c *Case) testName(cl *claim, t Test, subtest string) string {
	name := t.Name
	if subtest != "" {
		name = subtest
	}
	pkg := strings.TrimSuffix(t.Package, "_test")
	if cl != nil && pkg == strings.TrimSuffix(cl.Finding.Package, "_test") {
		return name
	}
	return pkg + "." + name
}

// judge weighs everything that speaks for a claim. What was looked at and
// showed nothing is worth a sentence too: it tells the reader which test to write.
func (c *Case) judge(cl *claim) *output.Proof {
	s := &seen{c: c, claim: cl}
	c.visits(s)
	kind := evidenceOf(cl.Finding.Rule)
	var p *output.Proof
	switch kind {
	case byNothing:
		return &output.Proof{Verdict: output.NotObserved, Detail: "what " + cl.Finding.Rule + " reports does not show in a ledger of memory", Runs: s.runs}
	case byFailure:
		switch {
		case cl.inject != "":
			p = s.failure()
		case !cl.onFailure:
			p = s.leak(true)
		}
	case byLeak:
		if p = s.leak(false); p == nil && cl.inject != "" {
			p = s.failure()
		}
		if p == nil {
			p = s.elsewhere()
		}
	case byGrowth:
		if p = s.growth(false); p == nil {
			p = s.leak(false)
		}
		if p == nil {
			p = s.elsewhere()
		}
	case byLoop:
		p = s.growth(true)
	case byMisuse:
		p = s.misuse()
	case byChurn:
		p = s.churn()
	}
	if p != nil {
		return p
	}
	return s.unconfirmed(kind)
}

// visits counts the tests and runs that came by the claim's code.
func (c *Case) visits(s *seen) {
	tests, came := map[Test]bool{}, map[Test]bool{}
	for _, d := range c.runs {
		here := false
		for _, t := range d.tests {
			if t.Failed && d.Inject == "" {
				continue // proves nothing, and is told elsewhere
			}
			if t.reaches(s.claim.probe) {
				here = true
				if d.Inject == "" && !d.Again {
					came[Test{d.Package, t.Test}] = true
				}
			}
			n := t.count(s.claim.acquired)
			if n.acquired == 0 {
				continue
			}
			here = true
			if d.Inject == "" && !d.Again {
				s.had += n.acquired
				tests[Test{d.Package, t.Test}] = true
			}
		}
		if d.Inject != "" && d.Inject == s.claim.inject && len(d.inject) > 0 {
			here = true
		}
		if here {
			s.runs++
		}
	}
	s.tests, s.came = len(tests), len(came)
}

// unconfirmed words what is left: nobody came by, or somebody did and nothing
// was seen.
func (s *seen) unconfirmed(kind evidence) *output.Proof {
	p := &output.Proof{Verdict: output.NotExercised, Runs: s.runs}
	cl := s.claim
	probed := cl.probe != "" && s.c.noPoint[cl.probe] == ""
	switch {
	case kind == byFailure && cl.inject != "":
		switch {
		case s.c.noPoint[cl.inject] != "":
			p.Detail = s.c.noPoint[cl.inject]
		case len(s.c.reaching(cl)) == 0:
			p.Detail = fmt.Sprintf("no test that passes comes to %s", s.call())
		default:
			p.Verdict = output.NotObserved
			p.Detail = orElse(s.why, fmt.Sprintf("nothing was lost so far with %s failing", s.call()))
		}
	case s.tests == 0 && cl.acquired.file != "" && !(probed && s.came > 0):
		p.Detail = fmt.Sprintf("no test that passes acquires at %s", s.place(cl.Acquired))
	case probed && s.came == 0 && kind != byLoop && kind != byGrowth && (s.why == "" || kind == byFailure):
		p.Detail = fmt.Sprintf("no test that passes comes to %s", s.place(Place{cl.Finding.Path, cl.Finding.Line}))
	case s.why != "":
		p.Verdict, p.Detail = output.NotObserved, s.why
	case s.tests == 0 && s.came == 0:
		p.Detail = "no test was seen to come by"
	case s.tests == 0:
		p.Verdict = output.NotObserved
		p.Detail = fmt.Sprintf("%s came by and nothing went wrong", count(s.came, "test"))
	default:
		p.Verdict = output.NotObserved
		p.Detail = fmt.Sprintf("%s acquired %d at %s and nothing went wrong", count(s.tests, "test"), s.had, s.place(cl.Acquired))
	}
	return p
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (s *seen) place(p Place) string { return fmt.Sprintf("%s:%d", s.c.o.Rel(p.File), p.Line) }

// call names the call that is made to fail.
func (s *seen) call() string {
	f := s.claim.Failing
	if f.Name == "" {
		return fmt.Sprintf("the call at %s", s.place(f.Place))
	}
	return fmt.Sprintf("%s at %s", f.Name, s.place(f.Place))
}

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

// failure looks for what is held after the call was made to fail, and is not
// held when it works.
func (s *seen) failure() *output.Proof {
	at, id := s.claim.acquired, s.claim.inject
	for _, d := range s.c.runs {
		if d.Inject != id {
			continue
		}
		for _, rec := range d.inject {
			test := Test{d.Package, top(rec.Test)}
			t := d.run(test.Name, 1)
			if t == nil {
				s.why = fmt.Sprintf("%s did not end in order with %s failing", test.Name, s.call())
				if d.Problem != "" {
					s.why += ": " + d.Problem
				}
				continue
			}
			lost := t.countIf(func(site *track.Site) bool { return sameCall(at, site.Stack, rec.Stack) })
			usual := s.c.usual(test, at)
			if d.Hit > 1 && t.Failed && !s.claim.inLoop {
				// Calls before this one have worked, and the test that was
				// stopped may not have come to release what they returned.
				s.why = fmt.Sprintf("with %s failing the %s time, %s stops: what it holds may be its own", s.call(), ordinal(d.Hit), test.Name)
				continue
			}
			if lost.lost() == 0 || t.count(at).lost() <= usual {
				s.why = fmt.Sprintf("with %s failing in %s, what was acquired at %s was released", s.call(), test.Name, s.place(s.claim.Acquired))
				if p := s.claim.probe; p != "" && s.c.noPoint[p] == "" && !t.reaches(p) {
					s.why = fmt.Sprintf("with %s failing, %s does not come to %s", s.call(), test.Name, s.place(Place{s.claim.Finding.Path, s.claim.Finding.Line}))
				} else if lost.acquired == 0 {
					s.why = fmt.Sprintf("with %s failing in %s, nothing was acquired at %s before", s.call(), test.Name, s.place(s.claim.Acquired))
				}
				if usual > 0 && lost.lost() > 0 {
					s.why = fmt.Sprintf("%s holds as much from %s when nothing fails: release it there, and try again", test.Name, s.place(s.claim.Acquired))
				}
				continue
			}
			return s.confirm(test, lost.test, "%s", s.lostWords(lost, test.Name, fmt.Sprintf(", with %s failing", s.call())))
		}
	}
	return nil
}

func ordinal(n int) string {
	switch {
	case n%100/10 != 1 && n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%100/10 != 1 && n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%100/10 != 1 && n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// usual is how many a test loses when nothing is made to fail.
func (c *Case) usual(test Test, at lines) int {
	for _, d := range c.plain() {
		if d.Package == test.Package {
			if t := d.run(test.Name, 1); t != nil {
				return t.count(at).lost()
			}
		}
	}
	return 0
}

// sameCall reports whether a resource was acquired by the same call of the
// claim's function as the one in which the injected failure came: another call,
// which worked, has handed its resource to a test that the failure stopped
// before its clean-up. The frames outside of the function tell them apart:
//
//	device.Alloc   a.go:9           device.Alloc  a.go:9
//	m.newPair      m.go:35          m.newPair     m.go:38   fails
//	m.TestPair     m_test.go:12     m.TestPair    m_test.go:12
func sameCall(at lines, acquired, failed []track.Frame) bool {
	i := at.hit(acquired)
	if i < 0 {
		return false
	}
	fn := baseFunc(acquired[i].Func)
	j := -1
	for k, f := range failed {
		if baseFunc(f.Func) == fn {
			j = k // the outermost frame of the function: literals lie inside
			break
		}
	}
	if j < 0 {
		return true // fails in a goroutine of its own
	}
	for i+1 < len(acquired) && baseFunc(acquired[i+1].Func) == fn {
		i++
	}
	for j+1 < len(failed) && baseFunc(failed[j+1].Func) == fn {
		j++
	}
	for i, j = i+1, j+1; i < len(acquired) && j < len(failed); i, j = i+1, j+1 {
		if acquired[i] != failed[j] {
			return false
		}
	}
	return true
}

// baseFunc is the declared function that a literal stands in: m.f.func1.2 is
// in m.f, as are the wrappers that the compiler makes.
func baseFunc(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	for _, mark := range []string{".func", ".gowrap", ".deferwrap", "-range"} {
		for from := slash; ; {
			i := strings.Index(name[from:], mark)
			if i < 0 {
				break
			}
			end := from + i + len(mark)
			if end < len(name) && name[end] >= '0' && name[end] <= '9' {
				name = name[:from+i]
				break
			}
			from = end
		}
	}
	return name
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
