// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package json_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/output/json"
)

func TestRoundTrip(t *testing.T) {
	r := output.New([]output.Finding{{
		Rule: "GM101", Pass: "errpath", Tier: "likely", Package: "p", File: "a.go", Line: 3, Column: 2, Function: "f",
		Message: "a <b> & c", Resource: "tensor", Acquired: &output.Place{File: "a.go", Line: 2},
		Trace: []output.Step{{File: "a.go", Line: 2, Text: "acquired"}},
		Fixes: []output.Fix{{Message: "Release", Edits: []output.Edit{{File: "a.go", Start: 1, End: 1, New: "x"}}}},
		Proof: &output.Proof{Verdict: "confirmed", Detail: "d", Runs: 2},
	}}, []output.Degraded{{Package: "p", Function: "g", File: "a.go", Line: 9, Reason: "r"}})
	var buf bytes.Buffer
	if err := json.Write(&buf, r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(buf.String(), "a <b> & c") {
		t.Errorf("text is escaped as if for HTML:\n%s", buf.String())
	}
	got, err := json.Read(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, r) {
		t.Errorf("read back %+v, want %+v", got, r)
	}
}

func TestEmptyListsAreLists(t *testing.T) {
	var buf bytes.Buffer
	if err := json.Write(&buf, output.New(nil, nil)); err != nil {
		t.Fatal(err)
	}
	if s := buf.String(); strings.Contains(s, "null") {
		t.Errorf("a list is null in:\n%s", s)
	}
}

func TestReadRefuses(t *testing.T) {
	for in, want := range map[string]string{
		`{"version": 2}`: "JSON report of version 2, but this gpumemlint reads version 1",
		`[]`:             "not a gpumemlint JSON report",
		``:               "not a gpumemlint JSON report",
	} {
		if _, err := json.Read(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%q): error %v, want one with %q", in, err, want)
		}
	}
}
