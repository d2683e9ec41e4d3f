// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"fmt"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/output"
)

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

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
