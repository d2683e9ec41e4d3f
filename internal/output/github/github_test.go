// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package github_test

import (
	"bytes"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/output/github"
)

func TestWrite(t *testing.T) {
	r := output.New([]output.Finding{
		{Rule: "GM101", Tier: "definite", File: "a,b:c.go", Line: 3, Column: 2, Message: "100% lost: x,\ny (GM101)"},
		{Rule: "GM102", Tier: "likely", File: "d.go", Line: 4, Column: 5, EndLine: 4, EndColumn: 9, Message: "lost (GM102)"},
		{Rule: "GM103", Tier: "possible", File: "e.go", Line: 1, Column: 1, Message: "lost (GM103)"},
		{Rule: "GM104", Tier: "observed", File: "f.go", Line: 1, Column: 1, Message: "lost (GM104)"},
		{Rule: "GM105", Tier: "likely", File: "g.go", Line: 1, Column: 1, Message: "lost (GM105)",
			Proof: &output.Proof{Verdict: output.Confirmed, Test: "TestX", Detail: "100% held"}},
		{Rule: "GM105", Tier: "likely", File: "h.go", Line: 1, Column: 1, Message: "lost (GM105)",
			Proof: &output.Proof{Verdict: output.NotObserved, Detail: "all released"}},
	}, nil)
	const want = `::error file=a%2Cb%3Ac.go,line=3,col=2,title=GM101::100%25 lost: x,%0Ay (GM101)
::warning file=d.go,line=4,col=5,endLine=4,endColumn=9,title=GM102::lost (GM102)
::notice file=e.go,line=1,col=1,title=GM103::lost (GM103)
::error file=f.go,line=1,col=1,title=GM104::lost (GM104)
::error file=g.go,line=1,col=1,title=GM105::lost (GM105)%0Aconfirmed by TestX: 100%25 held
::warning file=h.go,line=1,col=1,title=GM105::lost (GM105)%0Anot observed: all released
`
	var buf bytes.Buffer
	if err := github.Write(&buf, r); err != nil {
		t.Fatal(err)
	}
	if got := buf.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
