// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package output

// What running the tests says of a finding.
const (
	Confirmed    = "confirmed"     // the memory was still held when it should not have been
	NotObserved  = "not-observed"  // the code ran, and nothing was lost
	NotExercised = "not-exercised" // no test reached the code in question
	Observed     = "observed"      // a leak that only the tests showed
)

// Verdicts lists the verdicts, weightiest first.
var Verdicts = []string{Confirmed, Observed, NotObserved, NotExercised}

// TierObserved is the tier of a finding that no analysis made, but a run.
const TierObserved = "observed"

// Tiers lists the tiers, surest first.
var Tiers = []string{TierObserved, "definite", "likely", "possible"}

// A Proof is what running the package's tests had to say.
type Proof struct {
	Verdict string `json:"verdict"`        // one of Verdicts
	Detail  string `json:"detail"`         // one line: what was seen, or why nothing was
	Test    string `json:"test,omitempty"` // the test that showed it, as in TestServe/second
	Runs    int    `json:"runs"`           // how many runs of the tests looked at this
}

// A LiveChart is what was held while the tests of one package ran.
type LiveChart struct {
	Title  string       // the package
	Length float64      // where the run ends, in the unit of X
	Series []LiveSeries // by site, in a fixed order
	Marks  []LiveMark   // tests, in the order of their start
}

// A LiveSeries is how many resources of one acquiring site were held.
type LiveSeries struct {
	Site   string
	Points []LivePoint // X rises; the count holds up to the next point
}

// A LivePoint is a count at a moment of the run.
type LivePoint struct {
	X     float64 // events since the start
	Count int
}

// A LiveMark names the stretch of a run that belongs to a test.
type LiveMark struct {
	Name     string
	From, To float64
}
