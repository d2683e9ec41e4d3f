// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof_test

import (
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/proof"
	"github.com/gpumemlint/gpumemlint/runtime/track"
)

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
