// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/proof"
	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// TestVerdicts judges one claim by hand-written ledgers.
func TestVerdicts(t *testing.T) {
	leak := counts{stack: in, acquired: 2, released: 1}
	clean := counts{stack: in, acquired: 2, released: 2}
	for _, tt := range []struct {
		name   string
		claim  proof.Claim
		runs   []proof.Run
		want   string
		detail string
	}{
		{"nothing ran", claim("GM102"), nil, output.NotExercised, "no test that passes acquires at m.go:10"},
		{"held", claim("GM102"), []proof.Run{plain(test("TestA", 1, leak))}, output.Confirmed, "1 of 2 acquired at m.go:10 still held when TestA ends"},
		{"released", claim("GM102"), []proof.Run{plain(test("TestA", 1, clean))}, output.NotObserved, "1 test acquired 2 at m.go:10 and released all"},
		{"other site", claim("GM102"), []proof.Run{plain(test("TestA", 1, counts{stack: "lib:1 newPair:11 TestA:3", acquired: 1}))}, output.NotExercised, ""},
		{"through a wrapper", claim("GM102"), []proof.Run{plain(test("TestA", 1, counts{stack: "lib:1 wrap:90 newPair:10 TestA:3", acquired: 1}))}, output.Confirmed, ""},
		{"only in a test that fails", claim("GM102"), []proof.Run{plain(failed(test("TestA", 1, leak)))}, output.NotExercised, ""},
		{"held twice", claim("GM102"), []proof.Run{plain(test("TestA", 1, leak)), again(test("TestA", 1, leak), test("TestA", 2, leak))}, output.Confirmed, ""},
		{"made once", claim("GM102"), []proof.Run{plain(test("TestA", 1, leak)), again(test("TestA", 1, leak), test("TestA", 2))}, output.NotObserved, "made once"},
		{"second run releases", claim("GM102"), []proof.Run{plain(test("TestA", 1, leak)), again(test("TestA", 1, leak), test("TestA", 2, clean))}, output.NotObserved, "not after the second"},
		{"not held again", claim("GM102"), []proof.Run{plain(test("TestA", 1, leak)), again(test("TestA", 1, clean), test("TestA", 2, clean))}, output.NotObserved, "in one run and not in another"},
		{"cannot run twice", claim("GM102"), []proof.Run{plain(test("TestA", 1, leak)), again(test("TestA", 1, leak), failed(test("TestA", 2)))}, output.Confirmed, ""},
		{"sync.Once", claim("GM102"), []proof.Run{plain(test("TestA", 1, counts{stack: in, acquired: 1, flags: "once"}))}, output.NotObserved, ""},
		{"escaped", claim("GM102"), []proof.Run{plain(test("TestA", 1, counts{stack: in, acquired: 1, flags: "escaped"}))}, output.NotObserved, ""},
		{"collected", claim("GM102"), []proof.Run{plain(test("TestA", 1, counts{stack: in, acquired: 3, collected: 3}))}, output.Confirmed, "by the garbage collector alone"},
		{"released by a later test", claim("GM102"), []proof.Run{plain(test("TestA", 1, leak), track.Record{Kind: track.KindLate, ID: 100})}, output.NotObserved, ""},
		{"another process's release", claim("GM102"), []proof.Run{plain(test("TestA", 1, leak), start(), track.Record{Kind: track.KindLate, ID: 100})}, output.Confirmed, ""},

		{"error path, never reached", failing(claim("GM101")), []proof.Run{plain(test("TestA", 1, clean))}, output.NotExercised, "no test that passes comes to dev.Open at m.go:13"},
		{"error path, reached and not yet tried", failing(claim("GM101")), []proof.Run{plain(reaches(test("TestA", 1, clean), 1))}, output.NotObserved, ""},
		{"error path", failing(claim("GM101")), []proof.Run{
			plain(reaches(test("TestA", 1, clean), 1)), injected(1, "newPair:13 TestA:3", failed(test("TestA", 1, counts{stack: in, acquired: 1}))),
		}, output.Confirmed, "1 of 1 acquired at m.go:10 still held when TestA ends, with dev.Open at m.go:13 failing"},
		{"error path that releases", failing(claim("GM101")), []proof.Run{
			plain(reaches(test("TestA", 1, clean), 1)), injected(1, "newPair:13 TestA:3", comes(failed(test("TestA", 1, counts{stack: in, acquired: 1, released: 1})))),
		}, output.NotObserved, "with dev.Open at m.go:13 failing in TestA, what was acquired at m.go:10 was released"},
		{"error path, but the test is stopped before its own clean-up", failing(claim("GM101")), []proof.Run{
			plain(reaches(test("TestA", 1, clean), 2)),
			injected(2, "newPair:13 TestA:9", failed(test("TestA", 1, counts{stack: in, acquired: 1}, counts{stack: "lib:1 newPair:10 TestA:9", acquired: 1, released: 1}))),
		}, output.NotObserved, ""},
		{"error path at a later call, the test goes on", failing(claim("GM101")), []proof.Run{
			plain(reaches(test("TestA", 1, clean), 2)), injected(2, "newPair:13 TestA:3", test("TestA", 1, counts{stack: in, acquired: 2, released: 1})),
		}, output.Confirmed, "1 of 2 acquired"},
		{"error path at a later call, the test stops", failing(claim("GM101")), []proof.Run{
			plain(reaches(test("TestA", 1, clean), 2)), injected(2, "newPair:13 TestA:3", failed(test("TestA", 1, counts{stack: in, acquired: 2, released: 1}))),
		}, output.NotObserved, "failing the 2nd time, TestA stops"},
		{"error path, but the test loses as many without", failing(claim("GM101")), []proof.Run{
			plain(reaches(test("TestA", 1, leak), 1)), injected(1, "newPair:13 TestA:3", failed(test("TestA", 1, leak))),
		}, output.NotObserved, "TestA holds as much from m.go:10 when nothing fails"},
		{"error path in a literal", failing(claim("GM101")), []proof.Run{
			plain(reaches(test("TestA", 1, clean), 1)),
			injected(1, "newPair.func1:13 newPair:17 TestA:3", failed(test("TestA", 1, counts{stack: in, acquired: 1}))),
		}, output.Confirmed, ""},
		{"error path, the process dies", failing(claim("GM101")), []proof.Run{
			plain(reaches(test("TestA", 1, clean), 1)),
			{Package: pkg, Inject: "call1", Hit: 1, Problem: "panic: boom", Records: []track.Record{start(), {Kind: track.KindInject, Point: "call1", Test: "TestA/sub"}}},
		}, output.NotObserved, "TestA did not end in order with dev.Open at m.go:13 failing: panic: boom"},
		{"error path that the failure does not lead to", failing(claim("GM101")), []proof.Run{
			plain(reaches(test("TestA", 1, clean), 1)), injected(1, "newPair:13 TestA:3", failed(test("TestA", 1, clean))),
		}, output.NotObserved, "TestA does not come to m.go:15"},
		{"error path without a call", claim("GM101"), []proof.Run{plain(comes(test("TestA", 1, leak)))}, output.Confirmed, ""},
		{"error path without a call, not taken", claim("GM101"), []proof.Run{plain(test("TestA", 1, leak))}, output.NotExercised, "no test that passes comes to m.go:15"},
		{"ordinary leak behind a failing call", failing(claim("GM102")), []proof.Run{
			plain(reaches(test("TestA", 1, clean), 1)), injected(1, "newPair:13 TestA:3", test("TestA", 1, counts{stack: in, acquired: 1})),
		}, output.Confirmed, "failing"},

		{"acquired elsewhere", field("GM104"), []proof.Run{plain(comes(test("TestA", 1, leak))), again(test("TestA", 1, leak), test("TestA", 2, leak))}, output.Confirmed, "1 of 2 acquired at m.go:10 still held when TestA ends, which comes by here"},
		{"acquired elsewhere, the test does not come by", field("GM104"), []proof.Run{plain(test("TestA", 1, leak)), again(test("TestA", 1, leak), test("TestA", 2, leak))}, output.NotExercised, "no test that passes comes to m.go:15"},
		{"acquired elsewhere, held once", field("GM104"), []proof.Run{plain(comes(test("TestA", 1, leak)))}, output.NotObserved, "1 test came by and nothing went wrong"},
		{"acquired by another package", field("GM104"), []proof.Run{
			plain(comes(test("TestA", 1, counts{stack: "lib:1", acquired: 1}))),
			again(test("TestA", 1, counts{stack: "lib:1", acquired: 1}), test("TestA", 2, counts{stack: "lib:1", acquired: 1})),
		}, output.NotObserved, ""},
		{"not in a ledger", claim("GM501"), []proof.Run{plain(test("TestA", 1, leak))}, output.NotObserved, "does not show in a ledger"},
		{"churn", claim("GM504"), []proof.Run{plain(test("TestA", 1, counts{stack: in, acquired: 64, released: 64}))}, output.Confirmed, "64 acquired at m.go:10 in TestA, and 64 of them released again"},
		{"no churn", claim("GM504"), []proof.Run{plain(test("TestA", 1, clean))}, output.NotObserved, "too few"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := proof.New([]proof.Claim{tt.claim}, options())
			for _, r := range tt.runs {
				c.Add(r)
			}
			proofs, _ := c.Verdicts()
			if got := proofs[0]; got.Verdict != tt.want || !strings.Contains(got.Detail, tt.detail) {
				t.Errorf("%s: %s; want %s: …%s…", got.Verdict, got.Detail, tt.want, tt.detail)
			}
			if strings.Contains(proofs[0].Detail, "\n") || proofs[0].Detail == "" {
				t.Errorf("detail %q is not one line", proofs[0].Detail)
			}
		})
	}
}

// TestLaterCall checks a call that fails in a loop: what the turns before it
// acquired is lost, and a test that stops there has nothing of it.
func TestLaterCall(t *testing.T) {
	o := options()
	o.Read = func(string) ([]byte, error) {
		return []byte("package m\n\nfunc f() {\n\tfor i := range 3 {\n" + strings.Repeat("\n", 7) + "\t\tx, err := dev.Open(i)\n\t\t_ = x\n\t}\n}\n"), nil
	}
	cl := failing(claim("GM101"))
	cl.Failing.Line = 12
	cl.Acquired.Line = 12
	c := proof.New([]proof.Claim{cl}, o)
	c.Add(plain(reaches(test("TestA", 1, counts{stack: "lib:1 f:12 TestA:3", acquired: 3, released: 3}), 3)))
	for hit, acquired := range map[int]int{1: 0, 2: 1} {
		var sites []counts
		if acquired > 0 {
			sites = append(sites, counts{stack: "lib:1 f:12 TestA:3", acquired: acquired})
		}
		c.Add(injected(hit, "f:12 TestA:3", failed(test("TestA", 1, sites...))))
	}
	if proofs, _ := c.Verdicts(); proofs[0].Verdict != output.Confirmed {
		t.Errorf("%+v, want confirmed by the second call", proofs[0])
	}
}

// TestManyLines checks a call that is written over several lines: stacks may
// have any line up to its bracket.
func TestManyLines(t *testing.T) {
	o := options()
	o.Read = func(string) ([]byte, error) {
		return []byte("package m\n\nfunc f() {\n\tx := dev.\n\t\tAlloc(\n\t\t\t1,\n\t\t)\n\t_ = x\n}\n"), nil
	}
	for line, want := range map[int]string{3: output.NotExercised, 4: output.Confirmed, 5: output.Confirmed, 6: output.NotExercised} {
		cl := claim("GM102")
		cl.Acquired.Line = 4
		c := proof.New([]proof.Claim{cl}, o)
		c.Add(plain(test("TestA", 1, counts{stack: fmt.Sprintf("lib:1 f:%d TestA:3", line), acquired: 1})))
		if proofs, _ := c.Verdicts(); proofs[0].Verdict != want {
			t.Errorf("stack with line %d: %s, want %s", line, proofs[0].Verdict, want)
		}
	}
}
