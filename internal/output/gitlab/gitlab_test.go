// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gitlab_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/output/gitlab"
)

func TestWrite(t *testing.T) {
	r := output.New([]output.Finding{
		{Rule: "GM101", Tier: "definite", File: "sub/a.go", Line: 3, Column: 2, EndLine: 4, Message: "<x> is lost (GM101)"},
		{Rule: "GM102", Tier: "likely", File: "sub/b.go", Line: 7, Column: 2, Message: "y (GM102)"},
		{Rule: "GM404", Tier: "possible", File: "sub/c.go", Line: 7, Column: 2, Message: "z (GM404)"},
	}, nil)
	var buf bytes.Buffer
	if err := gitlab.Write(&buf, r); err != nil {
		t.Fatal(err)
	}
	var got []struct {
		Description string
		CheckName   string `json:"check_name"`
		Fingerprint string
		Severity    string
		Location    struct {
			Path  string
			Lines struct{ Begin, End int }
		}
	}
	if err := json.Unmarshal(buf.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 {
		t.Fatalf("got %+v", got)
	}
	for i, severity := range []string{"critical", "major", "info"} {
		if got[i].Severity != severity || got[i].Fingerprint != r.Findings[i].Fingerprint || got[i].CheckName != r.Findings[i].Rule {
			t.Errorf("issue %d is %+v, want severity %s and what the finding says", i, got[i], severity)
		}
	}
	if a := got[0]; a.Description != "<x> is lost (GM101)" || a.Location.Path != "sub/a.go" || a.Location.Lines.Begin != 3 || a.Location.Lines.End != 4 {
		t.Errorf("first issue %+v", a)
	}
}

// TestEmpty checks that no findings are a list: GitLab takes nothing else.
func TestEmpty(t *testing.T) {
	var buf bytes.Buffer
	if err := gitlab.Write(&buf, output.New(nil, nil)); err != nil || buf.String() != "[]\n" {
		t.Errorf("%q, error %v, want an empty list", buf.String(), err)
	}
}
