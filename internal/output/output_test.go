// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package output_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
)

func TestNewSortsAndDropsRepetitions(t *testing.T) {
	a := output.Finding{Rule: "GM101", Tier: "likely", Package: "p", File: "a.go", Line: 2, Column: 1, Message: "m"}
	b := a
	b.Line = 10
	c := a
	c.Rule = "GM102"
	other := a
	other.Package = "p_test" // the same place, seen in the test variant
	r := output.New([]output.Finding{b, c, a, other}, []output.Degraded{{Function: "f"}, {Function: "f"}})
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Rule+f.File+string(rune('0'+f.Line%10)))
	}
	if want := []string{"GM101a.go2", "GM102a.go2", "GM101a.go0"}; !slices.Equal(got, want) {
		t.Errorf("findings %v, want %v", got, want)
	}
	if r.Summary.Findings != 3 || r.Summary.ByRule["GM101"] != 2 || r.Summary.ByTier["likely"] != 3 || r.Summary.Degraded != 1 {
		t.Errorf("summary %+v", r.Summary)
	}
}

func TestFingerprints(t *testing.T) {
	base := output.Finding{Rule: "GM101", Package: "p", Function: "f", File: "a.go", Line: 5, Column: 2, Message: "tensor (line 4) is lost"}
	of := func(change func(*output.Finding)) string {
		f := base
		change(&f)
		return output.New([]output.Finding{f}, nil).Findings[0].Fingerprint
	}
	same := of(func(*output.Finding) {})
	for name, f := range map[string]func(*output.Finding){
		"line":    func(f *output.Finding) { f.Line = 50 },
		"message": func(f *output.Finding) { f.Message = "tensor (line 49) is lost" },
		"file":    func(f *output.Finding) { f.File = "b.go" },
	} {
		if of(f) != same {
			t.Errorf("another %s gives another fingerprint", name)
		}
	}
	for name, f := range map[string]func(*output.Finding){
		"rule":     func(f *output.Finding) { f.Rule = "GM102" },
		"package":  func(f *output.Finding) { f.Package = "q" },
		"function": func(f *output.Finding) { f.Function = "g" },
		"message":  func(f *output.Finding) { f.Message = "mat is lost" },
	} {
		if of(f) == same {
			t.Errorf("another %s gives the same fingerprint", name)
		}
	}
	second := base
	second.Line = 6
	r := output.New([]output.Finding{second, base}, nil)
	if r.Findings[0].Fingerprint != same || r.Findings[1].Fingerprint == same {
		t.Error("equal findings of a function are not told apart by their order")
	}
}

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"tensor (line 41) is lost":       "tensor (line N) is lost",
		"made at a.go:12:3, lost":        "made at a.go:N, lost",
		"made at a.go:12 or lines 3":     "made at a.go:N or lines N",
		"3 tensors of baseline 4 remain": "3 tensors of baseline 4 remain",
	} {
		if got := output.Normalize(in); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	p := output.Paths{Root: filepath.FromSlash("/home/m"), Cache: filepath.FromSlash("/go/mod")}
	for in, want := range map[string]string{
		"/home/m/a/b.go":        "a/b.go",
		"/home/m2/b.go":         "/home/m2/b.go",
		"/home/b.go":            "/home/b.go",
		"/go/mod/x@v1.0.0/b.go": "x@v1.0.0/b.go",
		"/home/m/..a/b.go":      "..a/b.go",
		"b.go":                  "b.go",
	} {
		if got := p.Rel(filepath.FromSlash(in)); got != want {
			t.Errorf("Rel(%q) = %q, want %q", in, got, want)
		}
	}
	if got := (output.Paths{}).Rel("/a/b.go"); got != "/a/b.go" {
		t.Errorf("without a root, Rel gives %q", got)
	}
}
