// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/proof"
	"github.com/gpumemlint/gpumemlint/runtime/track"
)

func TestObserved(t *testing.T) {
	missed := counts{stack: "lib:1 hidden:50 load:60 TestA:3", acquired: 2, released: 1}
	with := func(flags string) counts { c := missed; c.flags = flags; return c }
	twice := again(test("TestA", 1, missed), test("TestA", 2, missed))
	for _, tt := range []struct {
		name    string
		claims  []proof.Claim
		runs    []proof.Run
		options func(*proof.Options)
		want    int
	}{
		{"held in both runs", nil, []proof.Run{plain(test("TestA", 1, missed)), twice}, nil, 1},
		{"held in one run only", nil, []proof.Run{plain(test("TestA", 1, missed)), again(test("TestA", 1, missed), test("TestA", 2))}, nil, 0},
		{"not run again", nil, []proof.Run{plain(test("TestA", 1, missed))}, nil, 0},
		{"test fails", nil, []proof.Run{plain(failed(test("TestA", 1, missed))), twice}, nil, 0},
		{"once", nil, []proof.Run{plain(test("TestA", 1, with("once"))), twice}, nil, 0},
		{"escaped", nil, []proof.Run{plain(test("TestA", 1, with("escaped"))), twice}, nil, 0},
		{"backstop", nil, []proof.Run{plain(test("TestA", 1, with("backstop"))), twice}, nil, 0},
		{"of the process", nil, []proof.Run{plain(test("TestA", 1, with("process"))), twice}, nil, 0},
		{"the linter says so", []proof.Claim{{Finding: output.Finding{Rule: "GM102", Path: "/src/m.go", Line: 60}, Acquired: proof.Place{File: "/src/m.go", Line: 60}}},
			[]proof.Run{plain(test("TestA", 1, missed)), twice}, nil, 0},
		{"the linter speaks of an error path only", []proof.Claim{failing(proof.Claim{Finding: output.Finding{Rule: "GM101", Path: "/src/m.go", Line: 61}, Acquired: proof.Place{File: "/src/m.go", Line: 50}})},
			[]proof.Run{plain(test("TestA", 1, missed)), twice}, nil, 1},
		{"a rule that nobody asked for says so", []proof.Claim{{Muted: true, Finding: output.Finding{Rule: "GM103", Path: "/src/m.go", Line: 50}, Acquired: proof.Place{File: "/src/m.go", Line: 50}}},
			[]proof.Run{plain(test("TestA", 1, missed)), twice}, nil, 0},
		{"a rule that nobody asked for speaks of an error path", []proof.Claim{func() proof.Claim {
			c := failing(proof.Claim{Finding: output.Finding{Rule: "GM101", Path: "/src/m.go", Line: 61}, Acquired: proof.Place{File: "/src/m.go", Line: 50}})
			c.Muted = true
			return c
		}()}, []proof.Run{plain(test("TestA", 1, missed)), twice}, nil, 1},
		{"churn is no leak", []proof.Claim{{Finding: output.Finding{Rule: "GM504", Path: "/src/m.go", Line: 50}, Acquired: proof.Place{File: "/src/m.go", Line: 50}}},
			[]proof.Run{plain(test("TestA", 1, missed)), twice}, nil, 1},
		{"silenced", nil, []proof.Run{plain(test("TestA", 1, missed)), twice}, func(o *proof.Options) {
			o.Silenced = func(file string, line int) bool { return file == "/src/m.go" && line == 60 }
		}, 0},
		{"rule not asked for", nil, []proof.Run{plain(test("TestA", 1, missed)), twice}, func(o *proof.Options) {
			o.Wants = func(rule string) bool { return rule == "GM101" }
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := options()
			if tt.options != nil {
				tt.options(&o)
			}
			c := proof.New(tt.claims, o)
			for _, r := range tt.runs {
				c.Add(r)
			}
			_, observed := c.Verdicts()
			if len(observed) != tt.want {
				t.Fatalf("observed %+v, want %d", observed, tt.want)
			}
			if tt.want == 0 {
				return
			}
			f := observed[0]
			if f.Tier != output.TierObserved || f.Proof.Verdict != output.Observed || f.File != "m.go" || f.Line != 50 || f.Function != "hidden" || f.Package != pkg || f.Proof.Test != "TestA" {
				t.Errorf("finding %+v, proof %+v", f, f.Proof)
			}
			if want := "device memory from dev.Alloc is still held when TestA ends: release it, or hand it to somebody who does (GM102)"; f.Message != want {
				t.Errorf("message %q, want %q", f.Message, want)
			}
			var path []string
			for _, s := range f.Trace {
				path = append(path, fmt.Sprintf("%s:%d %s", s.File, s.Line, s.Text))
			}
			if want := []string{"m_test.go:3 calls m.load", "m.go:60 calls m.hidden", "m.go:50 acquired here"}; !slices.Equal(path, want) {
				t.Errorf("path %q, want %q", path, want)
			}
		})
	}
}

// TestLive checks the chart: tests one after the other, what one leaves behind
// below what the next acquires, two stacks that end in one line as one site.
func TestLive(t *testing.T) {
	a := test("TestA", 1, counts{stack: "lib:1 newPair:10 TestA:3", acquired: 2}, counts{stack: "lib:2 newPair:10 TestA:4", acquired: 1})
	a.From, a.To = 0, 4
	a.History = []track.Series{{Site: 1, Points: [][2]int{{1, 1}, {4, 2}}}, {Site: 2, Points: [][2]int{{2, 1}, {3, 0}}}}
	b := test("TestB", 1, counts{stack: "lib:1 newPair:10 TestB:3", acquired: 1, released: 1}, counts{stack: "lib:1 other:20 TestB:3", acquired: 1})
	b.From, b.To = 5, 9
	b.History = []track.Series{{Site: 1, Points: [][2]int{{6, 1}, {7, 0}}}, {Site: 2, Points: [][2]int{{8, 1}}}}
	c := proof.New(nil, options())
	c.Add(plain(a, test("TestNothing", 1), b))
	c.Add(again(a, b))
	charts := c.Live()
	if len(charts) != 1 || charts[0].Title != pkg || charts[0].Length != 10 {
		t.Fatalf("charts %+v, want one of 10 events", charts)
	}
	var got []string
	for _, s := range charts[0].Series {
		line := s.Site
		for _, p := range s.Points {
			line += fmt.Sprintf(" %v:%d", p.X, p.Count)
		}
		got = append(got, line)
	}
	if want := []string{"m.go:10 1:1 2:2 3:1 4:2 6:3 7:2", "m.go:20 8:1"}; !slices.Equal(got, want) {
		t.Errorf("series %q, want %q", got, want)
	}
	if m := charts[0].Marks; len(m) != 2 || m[0].Name != "TestA" || m[1].From != 5 || m[1].To != 10 {
		t.Errorf("marks %+v", m)
	}
}
