// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

const source = `package p

func f() {
	acquire()
	lose()
	lose() //nolint:GM101 // on purpose
}
`

// A fixture is a pass over source that collects what is reported.
type fixture struct {
	pass *analysis.Pass
	got  []analysis.Diagnostic
	file *token.File
}

func newFixture(t *testing.T, filename string) *fixture {
	t.Helper()
	t.Cleanup(func() { report.Configure(report.Defaults()) })
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, filename, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	x := &fixture{file: fset.File(f.Pos())}
	x.pass = &analysis.Pass{
		Analyzer: &analysis.Analyzer{Name: "errpath"},
		Fset:     fset,
		Files:    []*ast.File{f},
		Report:   func(d analysis.Diagnostic) { x.got = append(x.got, d) },
	}
	return x
}

func (x *fixture) line(n int) token.Pos { return x.file.LineStart(n) + 1 }

func (x *fixture) finding() report.Finding {
	return report.Finding{
		Rule: "GM101", Tier: report.Likely, Pos: x.line(5), Message: "x is lost", Resource: "device memory",
		Function: "f", Acquired: x.line(4), Failed: "lose", FailedAt: x.line(5), Trace: []report.Step{{Pos: x.line(4), Text: "acquired"}},
	}
}

func TestReport(t *testing.T) {
	x := newFixture(t, "p.go")
	report.Report(x.pass, x.finding())
	want := []analysis.Diagnostic{{
		Pos: x.line(5), Category: "GM101", Message: "x is lost (GM101)",
		URL:     "https://github.com/gpumemlint/gpumemlint/blob/main/docs/rules/GM101.md",
		Related: []analysis.RelatedInformation{{Pos: x.line(4), Message: "device memory acquired here"}},
	}}
	if !reflect.DeepEqual(x.got, want) {
		t.Errorf("got %+v\nwant %+v", x.got, want)
	}
}

func TestReportAtAcquisition(t *testing.T) {
	x := newFixture(t, "p.go")
	f := x.finding()
	f.Acquired = f.Pos
	report.Report(x.pass, f)
	if len(x.got) != 1 || len(x.got[0].Related) != 0 {
		t.Errorf("got %+v, want one diagnostic that doesn't repeat its own position", x.got)
	}
}

func TestReportDrops(t *testing.T) {
	for _, tt := range []struct {
		name     string
		settings report.Settings
		file     string
		line     int
		want     int
	}{
		{"default", report.Settings{Tier: report.Likely, Nolint: true}, "p.go", 5, 1},
		{"tier below", report.Settings{Tier: report.Definite}, "p.go", 5, 0},
		{"tier above", report.Settings{Tier: report.Possible}, "p.go", 5, 1},
		{"rule wanted", report.Settings{Rules: []string{"GM101", "GM102"}}, "p.go", 5, 1},
		{"rule not wanted", report.Settings{Rules: []string{"GM102"}}, "p.go", 5, 0},
		{"suppressed", report.Settings{Nolint: true}, "p.go", 6, 0},
		{"suppression off", report.Settings{}, "p.go", 6, 1},
		{"cgo's own file", report.Settings{}, "/tmp/b001/_cgo_gotypes.go", 5, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := newFixture(t, tt.file)
			report.Configure(tt.settings)
			f := x.finding()
			f.Pos = x.line(tt.line)
			report.Report(x.pass, f)
			if len(x.got) != tt.want {
				t.Errorf("%d diagnostics, want %d", len(x.got), tt.want)
			}
		})
	}
}

func TestDetailRoundTrip(t *testing.T) {
	x := newFixture(t, "p.go")
	report.Configure(report.Settings{Detail: true})
	report.Report(x.pass, x.finding())
	if len(x.got) != 1 || len(x.got[0].Related) != 2 {
		t.Fatalf("got %+v, want one diagnostic with the acquisition and the detail", x.got)
	}
	got, ok, err := report.ParseDetail(x.got[0].Related[1].Message)
	if err != nil || !ok {
		t.Fatalf("ParseDetail: %v, %v", ok, err)
	}
	want := report.Detail{
		Tier: "likely", Pass: "errpath", Function: "f", Resource: "device memory",
		Acquired: &report.Place{File: "p.go", Line: 4},
		Failing:  &report.Call{Place: report.Place{File: "p.go", Line: 5}, Column: 2, Name: "lose"},
		Trace:    []report.DetailStep{{File: "p.go", Line: 4, Text: "acquired"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if _, ok, err := report.ParseDetail(x.got[0].Related[0].Message); ok || err != nil {
		t.Errorf("the acquisition was taken for a detail: %v, %v", ok, err)
	}
	if _, ok, err := report.ParseDetail("gpumem:{"); ok || err == nil {
		t.Errorf("a broken detail was accepted: %v, %v", ok, err)
	}
}

func TestFlags(t *testing.T) {
	t.Cleanup(func() { report.Configure(report.Defaults()) })
	a := flag.NewFlagSet("a", flag.ContinueOnError)
	b := flag.NewFlagSet("b", flag.ContinueOnError)
	report.RegisterFlags(a)
	report.RegisterFlags(b)
	if err := a.Parse([]string{"-tier=possible", "-detail"}); err != nil {
		t.Fatal(err)
	}
	if err := b.Parse([]string{"-rules=gm102, GM101,GM102", "-nolint=false"}); err != nil {
		t.Fatal(err)
	}
	want := report.Settings{Tier: report.Possible, Rules: []string{"GM101", "GM102"}, Detail: true}
	if got := report.Current(); !reflect.DeepEqual(got, want) {
		t.Errorf("settings %+v, want %+v", got, want)
	}
	var shown []string
	a.VisitAll(func(f *flag.Flag) { shown = append(shown, f.Name+"="+f.Value.String()) })
	if want := []string{"detail=true", "fixes=false", "nolint=false", "rules=GM101,GM102", "texts=", "tier=possible"}; !slices.Equal(shown, want) {
		t.Errorf("flags show %v, want %v", shown, want)
	}
}

func TestFlagErrors(t *testing.T) {
	t.Cleanup(func() { report.Configure(report.Defaults()) })
	for arg, want := range map[string]string{
		"-tier=sure":     `unknown tier "sure": want definite, likely or possible`,
		"-rules=leak":    `"leak" is not a rule ID: want IDs such as GM101, separated by commas`,
		"-rules=GM101,":  `"" is not a rule ID`,
		"-nolint=perhap": "want true or false",
		"-detail=perhap": "want true or false",
	} {
		fs := flag.NewFlagSet("x", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		report.RegisterFlags(fs)
		err := fs.Parse([]string{arg})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", arg, err, want)
		}
	}
	if got := report.Current(); !reflect.DeepEqual(got, report.Defaults()) {
		t.Errorf("bad flags changed the settings to %+v", got)
	}
}

func TestDegraded(t *testing.T) {
	x := newFixture(t, "p.go")
	report.Degraded(x.pass, x.line(3), "f", "more than 10 instructions")
	if len(x.got) != 0 {
		t.Fatalf("a driver that can't count degraded functions got %+v", x.got)
	}
	report.Configure(report.Settings{Detail: true})
	report.Degraded(x.pass, x.line(3), "f", "more than 10 instructions")
	if len(x.got) != 1 || x.got[0].Category != report.CategoryDegraded || len(x.got[0].Related) != 1 {
		t.Fatalf("got %+v, want one diagnostic with its detail", x.got)
	}
	d, ok, err := report.ParseDetail(x.got[0].Related[0].Message)
	if err != nil || !ok || d.Function != "f" || d.Pass != "errpath" {
		t.Errorf("ParseDetail: %+v, %v, %v", d, ok, err)
	}
}
