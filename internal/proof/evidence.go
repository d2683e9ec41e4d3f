// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof

import "strings"

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
