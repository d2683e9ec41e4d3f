// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"fmt"
	"slices"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// A Claim is a finding with what is needed to try it out. File names are
// absolute.
type Claim struct {
	Finding  output.Finding
	Acquired Place // where the resource was acquired; empty if the finding names no place
	Failing  *Call // whose failure the path is on; nil if it is on none
	Hidden   bool  // not shown unless it is confirmed
	// Muted claims are never shown, and nothing is run for their sake: they are
	// of rules that nobody asked for. But what they explain is no discovery.
	Muted bool
}

// A Place is a line of a file.
type Place struct {
	File string
	Line int
}

// A Call is a call in the source that can be made to fail.
type Call struct {
	Place
	Column int
	Name   string // as the user writes it; may be empty
}

// An Injection is a call that some run shall make fail.
type Injection struct {
	ID   string
	Call Call
}

// A Probe is a line of which a run shall tell whether a test comes by.
type Probe struct {
	ID string
	Place
}

// A Run is what one process (and its children) wrote down.
type Run struct {
	Package string // whose tests ran
	Inject  string // ID of the injection, or empty
	Hit     int    // which call of the test failed, from 1
	Again   bool   // each test ran twice in this process
	Records []track.Record
	Problem string // why the process did not end as it should, in one line; empty if it did
}

// A Test is a test of a package; a top-level one.
type Test struct{ Package, Name string }

// A Trial is a run that a Case asks for: one test, with one call failing at
// the Hit-th time that the test makes it.
type Trial struct {
	Test
	Inject string
	Hit    int
}

// Options are what a Case has to know of the world.
type Options struct {
	// Ours reports whether a file is the user's own and no library's.
	Ours func(file string) bool
	// Rel shortens a file name for the reader.
	Rel func(file string) string
	// Noun is what messages call a class of resource.
	Noun func(class string) string
	// Silenced reports whether the user told the linter to leave a line alone.
	Silenced func(file string, line int) bool
	// Read returns a source file.
	Read func(file string) ([]byte, error)
	// Wants reports whether findings of a rule are asked for.
	Wants func(rule string) bool
}

// A Case collects runs for a list of claims. It is not safe for concurrent use.
type Case struct {
	o      Options
	claims []*claim
	runs   []*digest
	// noPoint says of an injection why it cannot be made.
	noPoint map[string]string
	tried   map[Trial]bool
	sources map[string]*source
}

// claim is a Claim with its places looked up.
type claim struct {
	Claim
	inject    string // ID of the injection, or empty
	probe     string // ID of the probe on the finding's line
	acquired  lines
	at        lines // where the finding stands
	onFailure bool  // its path is on a call's failure
	inLoop    bool  // the call that fails stands in a loop of its function
	// explains is the line of an acquisition, in the user's code, that the
	// claim turned out to be about although it names another or none.
	explains lines
}

// maxTrials is how many runs are made for one failing call. The first one or
// two decide nearly always; a call that a hundred tests make is no reason for
// a hundred runs.
const maxTrials = 6

// New begins a case.
func New(claims []Claim, o Options) *Case {
	c := &Case{o: o, noPoint: map[string]string{}, tried: map[Trial]bool{}, sources: map[string]*source{}}
	ids := map[Place]map[int]string{}
	probes := map[Place]string{}
	for i := range claims {
		cl := &claim{Claim: claims[i]}
		cl.onFailure = cl.Failing != nil
		if cl.Muted {
			cl.Failing = nil
		}
		if a := cl.Acquired; a.File != "" {
			cl.acquired = c.callLines(a)
		}
		cl.at = c.callLines(Place{cl.Finding.Path, cl.Finding.Line})
		if at := (Place{cl.Finding.Path, cl.Finding.Line}); at.File != "" {
			if probes[at] == "" {
				probes[at] = fmt.Sprintf("line%d", i+1)
			}
			cl.probe = probes[at]
		}
		if f := cl.Failing; f != nil {
			if ids[f.Place] == nil {
				ids[f.Place] = map[int]string{}
			}
			if ids[f.Place][f.Column] == "" {
				ids[f.Place][f.Column] = fmt.Sprintf("call%d", i+1)
			}
			cl.inject = ids[f.Place][f.Column]
			cl.inLoop = c.inLoop(f.Place)
		}
		c.claims = append(c.claims, cl)
	}
	return c
}

// Injections lists the calls that trials may ask to fail, each once.
func (c *Case) Injections() []Injection {
	var list []Injection
	seen := map[string]bool{}
	for _, cl := range c.claims {
		if cl.inject != "" && !seen[cl.inject] {
			seen[cl.inject] = true
			list = append(list, Injection{cl.inject, *cl.Failing})
		}
	}
	return list
}

// Probes lists the lines that claims stand on, each once.
func (c *Case) Probes() []Probe {
	var list []Probe
	seen := map[string]bool{}
	for _, cl := range c.claims {
		if cl.probe != "" && !seen[cl.probe] {
			seen[cl.probe] = true
			list = append(list, Probe{cl.probe, Place{cl.Finding.Path, cl.Finding.Line}})
		}
	}
	return list
}

// NoPoint says why an injection cannot be made, or a probe not be placed.
func (c *Case) NoPoint(id, why string) { c.noPoint[id] = why }

// Add takes a run into account.
func (c *Case) Add(r Run) {
	c.runs = append(c.runs, newDigest(r))
}

// Tried says that a trial was made, whatever came of it.
func (c *Case) Tried(t Trial) { c.tried[t] = true }

// Doubtful lists the tests after which something was held that may have been
// made once for all tests, sorted. Running them twice in one process tells.
func (c *Case) Doubtful() []Test {
	seen := map[Test]bool{}
	for _, d := range c.plain() {
		for _, t := range d.tests {
			if !t.Failed && t.anyHeld() {
				seen[Test{d.Package, t.Test}] = true
			}
		}
	}
	return sortTests(seen)
}

// Trials lists the next runs with a failing call that would decide a claim,
// sorted, at most one for each injection. It is empty when nothing is left to try.
func (c *Case) Trials() []Trial {
	var list []Trial
	done := map[string]bool{}
	for _, cl := range c.claims {
		if cl.inject == "" || done[cl.inject] || c.noPoint[cl.inject] != "" || !evidenceOf(cl.Finding.Rule).fails() {
			continue // none to make, none possible, or nothing to learn from it
		}
		if proof := c.judge(cl); proof.Verdict == output.Confirmed {
			continue // known already
		}
		if trial, ok := c.next(cl); ok {
			list = append(list, trial)
			done[cl.inject] = true
		}
	}
	return list
}

// next is the next trial of a claim, if any is left.
func (c *Case) next(cl *claim) (Trial, bool) {
	n := 0
	for _, r := range c.reaching(cl) {
		for _, hit := range slices.Compact([]int{1, min(2, r.hits), r.hits}) {
			trial := Trial{r.Test, cl.inject, hit}
			if !c.tried[trial] {
				return trial, n < maxTrials
			}
			n++
			if hit == 1 && !cl.inLoop && c.stops(trial) {
				break // so it does at a later call, with more of its own in hand
			}
		}
	}
	return Trial{}, false
}

// stops reports whether a test failed in a trial.
func (c *Case) stops(t Trial) bool {
	for _, d := range c.runs {
		if d.Package == t.Package && d.Inject == t.Inject && d.Hit == t.Hit {
			if r := d.run(t.Name, 1); r != nil {
				return r.Failed
			}
		}
	}
	return false
}

// reach is a test that comes to an injection point.
type reach struct {
	Test
	hits     int
	acquires bool // and also acquires what the claim is about
}

// reaching lists the tests that come to the call which the claim wants to
// fail: first those that acquire the claim's resource, since only they can lose it.
func (c *Case) reaching(cl *claim) []reach {
	var list []reach
	seen := map[Test]bool{}
	for _, d := range c.plain() {
		for _, t := range d.tests {
			test := Test{d.Package, t.Test}
			i := slices.IndexFunc(t.Points, func(p track.Point) bool { return p.ID == cl.inject && p.Hits > 0 })
			if t.Failed || i < 0 || seen[test] {
				continue
			}
			seen[test] = true
			list = append(list, reach{test, t.Points[i].Hits, t.count(cl.acquired).acquired > 0})
		}
	}
	slices.SortFunc(list, func(a, b reach) int {
		if a.acquires != b.acquires {
			return map[bool]int{true: -1, false: 1}[a.acquires]
		}
		return compareTests(a.Test, b.Test)
	})
	return list
}

// plain returns the runs in which nothing was made to fail and each test ran once.
func (c *Case) plain() []*digest {
	var list []*digest
	for _, d := range c.runs {
		if d.Inject == "" && !d.Again {
			list = append(list, d)
		}
	}
	return list
}

// Verdicts returns what the runs so far say of each claim, in their order, and
// the findings that only the runs show, sorted by place.
func (c *Case) Verdicts() (proofs []*output.Proof, observed []output.Finding) {
	for _, cl := range c.claims {
		proofs = append(proofs, c.judge(cl))
	}
	return proofs, c.observed(proofs)
}
