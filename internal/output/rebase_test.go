// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package output_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
)

func TestRebase(t *testing.T) {
	report := func(module string) *output.Report {
		return output.New([]output.Finding{{
			Rule: "GM101", File: module + "a.go", Line: 2, Message: "m",
			Acquired: &output.Place{File: module + "b.go", Line: 1},
			Trace:    []output.Step{{File: module + "b.go"}, {File: "example.com/x@v1.0.0/x.go"}},
			Fixes:    []output.Fix{{Message: "fix", Edits: []output.Edit{{File: module + "a.go"}}}},
		}}, nil)
	}
	r := report("")
	got := r.Rebase("sub/dir", func(file string) bool { return !strings.Contains(file, "@") })
	if want := report("sub/dir/"); !reflect.DeepEqual(got.Findings, want.Findings) {
		t.Errorf("got %+v\nwant %+v", got.Findings, want.Findings)
	}
	if !reflect.DeepEqual(r, report("")) {
		t.Error("the report itself was changed")
	}
	if r.Rebase("", nil) != r || r.Rebase(".", nil) != r {
		t.Error("a module that is the repository was copied")
	}
}
