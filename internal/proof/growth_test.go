// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof_test

import (
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/proof"
	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// loop makes a loop's record with the counts held by site 1.
func loop(file string, line int, held ...int) track.Loop {
	l := track.Loop{File: file, Line: line, Iterations: len(held)}
	s := track.Series{Site: 1}
	for i, n := range held {
		s.Points = append(s.Points, [2]int{i, n})
	}
	l.Series = []track.Series{s}
	return l
}

func TestGrowth(t *testing.T) {
	site := counts{stack: "lib:1 serve:31 TestA:3", acquired: 9, released: 9}
	for _, tt := range []struct {
		name string
		rule string
		loop track.Loop
		want string
	}{
		{"deferred in the loop", "GM105", loop("/src/m.go", 30, 0, 1, 2, 3, 4, 5), output.Confirmed},
		{"not there before the first turn", "GM105", func() track.Loop {
			l := loop("/src/m.go", 30, 0, 1, 2)
			l.Series[0].Points = l.Series[0].Points[1:]
			return l
		}(), output.Confirmed},
		{"three turns are enough", "GM105", loop("/src/m.go", 30, 0, 1, 2), output.Confirmed},
		{"two are not", "GM105", loop("/src/m.go", 30, 0, 1), output.NotObserved},
		{"released in each turn", "GM105", loop("/src/m.go", 30, 0, 0, 0, 0, 0), output.NotObserved},
		{"one in use", "GM105", loop("/src/m.go", 30, 0, 1, 1, 1, 1), output.NotObserved},
		{"the test's loop", "GM105", loop("/src/m_test.go", 5, 0, 1, 2, 3, 4), output.NotObserved},
		{"a loop below", "GM105", loop("/src/m.go", 32, 0, 1, 2, 3, 4), output.NotObserved},
		{"a cache, by the test's loop", "GM203", loop("/src/m_test.go", 5, 0, 2, 4, 6, 8, 10), output.Confirmed},
		{"a cache that fills up", "GM203", loop("/src/m_test.go", 5, 0, 1, 2, 3, 4, 4, 4, 4, 4), output.NotObserved},
		{"a cache that is emptied", "GM203", loop("/src/m_test.go", 5, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3), output.NotObserved},
		{"some turns only", "GM203", loop("/src/m_test.go", 5, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5), output.Confirmed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := claim(tt.rule)
			c.Acquired.Line = 31
			rec := test("TestA", 1, site)
			rec.Loops = []track.Loop{tt.loop}
			cs := proof.New([]proof.Claim{c}, options())
			cs.Add(plain(rec))
			proofs, _ := cs.Verdicts()
			if got := proofs[0]; got.Verdict != tt.want {
				t.Errorf("%s: %s; want %s", got.Verdict, got.Detail, tt.want)
			}
		})
	}
}
