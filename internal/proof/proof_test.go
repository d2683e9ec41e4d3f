// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof_test

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/proof"
	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// The program of all tests here. Its lines matter: m.go:10 acquires in
// newPair, m.go:13 is the call that fails, m.go:15 loses; a loop is at m.go:30
// and acquires at m.go:31.
const pkg = "example.com/m"

func options() proof.Options {
	return proof.Options{
		Ours:     func(file string) bool { return strings.HasPrefix(file, "/src/") },
		Rel:      func(file string) string { return strings.TrimPrefix(file, "/src/") },
		Noun:     func(class string) string { return "device memory" },
		Silenced: func(string, int) bool { return false },
		Read:     func(string) ([]byte, error) { return nil, errors.New("no source") },
		Wants:    func(string) bool { return true },
	}
}

func claim(rule string) proof.Claim {
	return proof.Claim{
		Finding: output.Finding{
			Rule: rule, Package: pkg, File: "m.go", Line: 15, Path: "/src/m.go", Function: "newPair", Message: "lost (" + rule + ")",
		},
		Acquired: proof.Place{File: "/src/m.go", Line: 10},
	}
}

// field is a claim about something that it has not seen acquired.
func field(rule string) proof.Claim {
	c := claim(rule)
	c.Acquired, c.Finding.Resource = proof.Place{}, "pair holding device memory"
	return c
}

func failing(c proof.Claim) proof.Claim {
	c.Failing = &proof.Call{Place: proof.Place{File: "/src/m.go", Line: 13}, Column: 5, Name: "dev.Open"}
	return c
}

// frames writes a stack, innermost first: "newPair:10 TestA:3". Names that
// begin with Test are in m_test.go, lib is the library.
func frames(text string) []track.Frame {
	var list []track.Frame
	for word := range strings.FieldsSeq(text) {
		fn, line, _ := strings.Cut(word, ":")
		f := track.Frame{Func: pkg + "." + fn, File: "/src/m.go"}
		if _, err := fmt.Sscan(line, &f.Line); err != nil {
			panic(err)
		}
		switch {
		case strings.HasPrefix(fn, "Test"):
			f.File = "/src/m_test.go"
		case fn == "lib":
			f = track.Frame{Func: "example.com/lib.Alloc", File: "/cache/lib/lib.go", Line: f.Line, Library: true}
		}
		list = append(list, f)
	}
	return list
}

// A counts is what a site did in a test.
type counts struct {
	stack              string
	acquired, released int
	collected          int
	flags              string // of what is live: once, escaped, backstop, process
}

// test makes the record of a test.
func test(name string, run int, sites ...counts) track.Record {
	rec := track.Record{Kind: track.KindTest, Test: name, Run: run}
	for i, c := range sites {
		live := c.acquired - c.released - c.collected
		rec.Sites = append(rec.Sites, track.Site{
			Site: i + 1, Class: "dev.mem", Call: "example.com/dev.Alloc", Stack: frames(c.stack),
			Acquired: c.acquired, Released: c.released, Collected: c.collected, Live: live,
		})
		for range live {
			rec.Live = append(rec.Live, track.Live{
				ID: int64(100*run + 10*i + len(rec.Live)), Site: i + 1, Class: "dev.mem", Test: name,
				Once: c.flags == "once", Escaped: c.flags == "escaped", Backstop: c.flags == "backstop", Process: c.flags == "process",
			})
		}
	}
	return rec
}

func reaches(rec track.Record, hits int) track.Record {
	rec.Points = append(rec.Points, track.Point{ID: "call1", Hits: hits})
	return rec
}

// comes marks the line of the only claim as visited.
func comes(rec track.Record) track.Record {
	rec.Points = append(rec.Points, track.Point{ID: "line1", Hits: 1})
	return rec
}

func failed(rec track.Record) track.Record {
	rec.Failed = true
	return rec
}

func start() track.Record { return track.Record{Kind: track.KindStart, Format: track.Format} }

func plain(recs ...track.Record) proof.Run {
	return proof.Run{Package: pkg, Records: append([]track.Record{start()}, recs...)}
}

func again(recs ...track.Record) proof.Run {
	r := plain(recs...)
	r.Again = true
	return r
}

// injected is a run in which the call failed below the given stack.
func injected(hit int, stack string, recs ...track.Record) proof.Run {
	r := plain()
	r.Inject, r.Hit = "call1", hit
	r.Records = append(r.Records, track.Record{Kind: track.KindInject, Point: "call1", Test: "TestA", Stack: frames(stack)})
	r.Records = append(r.Records, recs...)
	return r
}

const in = "lib:1 newPair:10 TestA:3"

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

func misuse(kind, stack, acquired, released string) track.Record {
	return track.Record{
		Kind: track.KindMisuse, Test: "TestA/sub", Misuse: kind, Class: "dev.mem", Call: "example.com/dev.(*Mem).Free",
		Stack: frames(stack), Acquire: frames(acquired), Release: frames(released),
	}
}

func TestMisuse(t *testing.T) {
	double := misuse(track.DoubleRelease, "lib:9 close:15 TestA:3", "lib:1 open:10 TestA:2", "lib:9 close:14 TestA:3")
	use := misuse(track.UseAfterRelease, "lib:9 close:15 TestA:3", "lib:1 open:77 TestA:2", "lib:9 close:14 TestA:3")
	elsewhere := misuse(track.DoubleRelease, "lib:9 close:99 TestA:3", "lib:1 open:98 TestA:2", "lib:9 close:97 TestA:3")
	for _, tt := range []struct {
		name     string
		rule     string
		rec      track.Record
		want     string
		observed int
	}{
		{"released twice", "GM302", double, output.Confirmed, 0},
		{"used after release", "GM301", use, output.Confirmed, 0},
		{"the one is not the other", "GM301", double, output.NotObserved, 1},
		{"somewhere else", "GM302", elsewhere, output.NotObserved, 1},
		{"a destructor that releases twice", "GM401", misuse(track.DoubleRelease, "lib:9 newPair:99 TestA:3", "lib:1 open:98 TestA:2", "lib:9 close:14 TestA:3"), output.Confirmed, 0},
		{"somebody else than the destructor", "GM401", elsewhere, output.NotObserved, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := proof.New([]proof.Claim{claim(tt.rule)}, options())
			c.Add(plain(comes(test("TestA", 1, counts{stack: in, acquired: 1, released: 1})), tt.rec))
			proofs, observed := c.Verdicts()
			if got := proofs[0]; got.Verdict != tt.want || len(observed) != tt.observed {
				t.Errorf("%s: %s; want %s; %d observed, want %d", got.Verdict, got.Detail, tt.want, len(observed), tt.observed)
			}
			if tt.want == output.Confirmed && (proofs[0].Test != "TestA/sub" || !strings.Contains(proofs[0].Detail, "after its release at m.go:14")) {
				t.Errorf("proof %+v", proofs[0])
			}
		})
	}
}

func TestMisuseWords(t *testing.T) {
	c := proof.New([]proof.Claim{claim("GM302")}, options())
	c.Add(plain(misuse(track.DoubleRelease, "lib:9 close:15 TestA:3", "lib:1 open:10 TestA:2", "lib:9 close:14 TestA:3")))
	proofs, _ := c.Verdicts()
	if want := "released again by Mem.Free at m.go:15 after its release at m.go:14"; proofs[0].Detail != want {
		t.Errorf("detail %q, want %q", proofs[0].Detail, want)
	}
}

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

// TestTrials checks which runs are asked for, one round after the other.
func TestTrials(t *testing.T) {
	clean := counts{stack: in, acquired: 1, released: 1}
	c := proof.New([]proof.Claim{failing(claim("GM101")), failing(claim("GM101"))}, options())
	if got := c.Injections(); len(got) != 1 || got[0].ID != "call1" || got[0].Call.Line != 13 {
		t.Fatalf("injections %+v, want the one call that both claims name", got)
	}
	if got := c.Trials(); len(got) > 0 {
		t.Errorf("trials %v before any run", got)
	}
	other := plain(reaches(test("TestZ", 1), 1))
	other.Package = pkg + "/other"
	c.Add(other)
	c.Add(plain(reaches(test("TestB", 1, clean), 3), failed(reaches(test("TestA", 1, clean), 1)), reaches(test("TestC", 1), 2)))
	var got []string
	for {
		trials := c.Trials()
		if len(trials) == 0 {
			break
		}
		for _, tr := range trials {
			got = append(got, fmt.Sprintf("%s.%s@%d", path.Base(tr.Package), tr.Name, tr.Hit))
			c.Tried(tr)
		}
		if len(got) > 20 {
			t.Fatal("no end of trials")
		}
	}
	// First the test that acquires, call by call; then the others; no test that fails anyway.
	want := []string{"m.TestB@1", "m.TestB@2", "m.TestB@3", "m.TestC@1", "m.TestC@2", "other.TestZ@1"}
	if !slices.Equal(got, want) {
		t.Errorf("trials %v, want %v", got, want)
	}
}

// TestTrialsEnd checks that nothing more is tried of what is known.
func TestTrialsEnd(t *testing.T) {
	c := proof.New([]proof.Claim{failing(claim("GM101"))}, options())
	c.Add(plain(reaches(test("TestA", 1, counts{stack: in, acquired: 1, released: 1}), 3)))
	if got := c.Trials(); len(got) != 1 {
		t.Fatalf("trials %v, want one", got)
	}
	released := injected(1, "newPair:13 TestA:3", failed(test("TestA", 1, counts{stack: in, acquired: 1, released: 1})))
	c.Add(released)
	c.Tried(proof.Trial{Test: proof.Test{Package: pkg, Name: "TestA"}, Inject: "call1", Hit: 1})
	if got := c.Trials(); len(got) > 0 {
		t.Errorf("trials %v of a later call, though the test stops at the first", got)
	}
	c = proof.New([]proof.Claim{failing(claim("GM101"))}, options())
	c.NoPoint("call1", "is in a library")
	c.Add(plain(reaches(test("TestA", 1), 3)))
	if got := c.Trials(); len(got) > 0 {
		t.Errorf("trials %v of a call that cannot be made to fail", got)
	}
	if proofs, _ := c.Verdicts(); proofs[0].Verdict != output.NotExercised || proofs[0].Detail != "is in a library" {
		t.Errorf("proof %+v", proofs[0])
	}
}

func TestDoubtful(t *testing.T) {
	held := counts{stack: in, acquired: 1}
	c := proof.New(nil, options())
	c.Add(plain(test("TestB", 1, held), test("TestA", 1, held), failed(test("TestF", 1, held)), test("TestC", 1, counts{stack: in, acquired: 1, released: 1}), test("TestO", 1, counts{stack: in, acquired: 1, flags: "once"})))
	var got []string
	for _, x := range c.Doubtful() {
		got = append(got, x.Name)
	}
	if want := []string{"TestA", "TestB"}; !slices.Equal(got, want) {
		t.Errorf("doubtful %v, want %v", got, want)
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
