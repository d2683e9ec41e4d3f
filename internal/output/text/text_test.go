// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package text_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/output/text"
)

func write(t *testing.T, o text.Options, findings ...output.Finding) string {
	t.Helper()
	var buf bytes.Buffer
	if err := text.Write(&buf, output.New(findings, nil), o); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "a.go")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("package a\n\tx := é.New(\t1)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	f := output.Finding{Rule: "GM101", Tier: "likely", File: "sub/a.go", Path: path, Line: 2, Column: 7, EndLine: 2, EndColumn: 12, Message: "lost (GM101)"}
	g := f
	g.Acquired = &output.Place{File: "sub/a.go", Line: 1}
	noEnd := f
	noEnd.EndLine, noEnd.EndColumn = 0, 0
	proved, open := f, f
	proved.Proof = &output.Proof{Verdict: output.Confirmed, Test: "TestX/sub", Detail: "1 of 2 still held", Runs: 2}
	open.Proof = &output.Proof{Verdict: output.NotExercised, Detail: "no test comes here"}
	h := f
	h.Column, h.EndLine = 2, 3
	for _, tt := range []struct {
		name string
		o    text.Options
		f    output.Finding
		want string
	}{
		{"plain", text.Options{}, f, "sub/a.go:2:7: lost (GM101)\n"},
		{"from a folder", text.Options{Dir: filepath.Join(dir, "sub")}, f, "a.go:2:7: lost (GM101)\n"},
		{"from elsewhere", text.Options{Dir: filepath.Join(dir, "other")}, f, "sub/a.go:2:7: lost (GM101)\n"},
		{"context", text.Options{Context: true}, g, "sub/a.go:2:7: lost (GM101)\n        x := é.New(    1)\n             ^^^^\n    sub/a.go:1: acquired here\n"},
		{"to the end of the line", text.Options{Context: true}, h, "sub/a.go:2:2: lost (GM101)\n        x := é.New(    1)\n        ^^^^^^^^^^^^^^^^^\n"},
		{"without an end", text.Options{Context: true}, noEnd, "sub/a.go:2:7: lost (GM101)\n        x := é.New(    1)\n             ^\n"},
		{"proved", text.Options{}, proved, "sub/a.go:2:7: lost (GM101)\n    confirmed by TestX/sub: 1 of 2 still held\n"},
		{"not proved", text.Options{}, open, "sub/a.go:2:7: lost (GM101)\n    not exercised: no test comes here\n"},
		{"proved, in colour", text.Options{Colour: true}, proved, "\x1b[1msub/a.go:2:7:\x1b[0m lost (GM101)\n    \x1b[31mconfirmed by TestX/sub: 1 of 2 still held\x1b[0m\n"},
		{"colour", text.Options{Colour: true}, f, "\x1b[1msub/a.go:2:7:\x1b[0m lost (GM101)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := write(t, tt.o, tt.f); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestWriteUnreadableSource(t *testing.T) {
	f := output.Finding{File: "gone.go", Path: filepath.Join(t.TempDir(), "gone.go"), Line: 2, Column: 7, Message: "lost"}
	if got, want := write(t, text.Options{Context: true}, f), "gone.go:2:7: lost\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSummary(t *testing.T) {
	r := output.New([]output.Finding{{Rule: "GM102", Tier: "likely"}, {Rule: "GM101", Tier: "definite"}}, nil)
	if got, want := text.Summary(r), "2 findings (1 definite, 1 likely)"; got != want {
		t.Errorf("Summary = %q, want %q", got, want)
	}
	r.Failures = []string{"p does not compile", "q does not compile"}
	r.Summary.Baselined = 1
	r.Count()
	if got, want := text.Summary(r), "2 findings (1 definite, 1 likely), 1 known from the baseline, 2 failures"; got != want {
		t.Errorf("Summary = %q, want %q", got, want)
	}
	if got := text.Summary(output.New(nil, nil)); got != "" {
		t.Errorf("Summary of nothing = %q", got)
	}
}

// TestSummaryOfProofs counts by verdict once findings have been tried out.
func TestSummaryOfProofs(t *testing.T) {
	var findings []output.Finding
	for i, v := range []string{output.Confirmed, output.Observed, output.NotExercised, output.Confirmed, ""} {
		f := output.Finding{Rule: "GM101", Tier: "likely", File: "a.go", Line: i + 1, Message: "lost (GM101)"}
		if v != "" {
			f.Proof = &output.Proof{Verdict: v}
		}
		findings = append(findings, f)
	}
	want := "5 findings (2 confirmed, 0 not observed, 1 not exercised, 1 observed only, 1 not tried)"
	if got := text.Summary(output.New(findings, nil)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
