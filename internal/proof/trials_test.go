// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof_test

import (
	"fmt"
	"path"
	"slices"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/proof"
)

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
