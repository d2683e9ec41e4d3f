// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof_test

import (
	"errors"
	"fmt"
	"strings"

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
