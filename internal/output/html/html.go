// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package html prints a report as one page for a browser: each finding beside
// its source, with the path from the acquisition to the loss drawn on the
// lines, what running the tests said of it, and the live memory by site.
//
// The page is one file. It has no script and loads nothing, which its own
// content security policy enforces, so it can be mailed, kept as a build
// artefact and opened without a network. The filters are checkboxes that the
// style sheet looks at. Source is text of somebody else: everything that
// reaches the page goes through html/template.
package html

import (
	"bufio"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/rules"
)

// Options say where the sources are and what the page is about.
type Options struct {
	Paths   output.Paths // finds the files that the findings name
	Subject string       // what was analysed, as in "./..."; may be empty
	Version string       // of gpumemlint
}

const (
	// maxOpen is how many findings are shown unfolded: a page of more is
	// read as a list first.
	maxOpen = 40
	// maxSource is how many findings have their source in the page. With it
	// each takes some five kilobytes, and a browser wants to scroll.
	maxSource = 2000
)

//go:embed style.css
var style string

//go:embed page.gohtml
var pageSource string

// Write prints the page to w. A source file that cannot be read leaves its
// findings without lines; the error is one of w.
func Write(w io.Writer, r *output.Report, o Options) error {
	tmpl, err := template.New("page").Parse(pageSource)
	if err != nil {
		return fmt.Errorf("cannot write HTML: %w", err)
	}
	out := bufio.NewWriter(w)
	if err := tmpl.Execute(out, newPage(r, o)); err != nil {
		return fmt.Errorf("cannot write HTML: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("cannot write HTML: %w", err)
	}
	return nil
}

// page is what the template sees.
type page struct {
	Style    template.CSS
	Subject  string
	Version  string
	Tiles    []tile
	Filters  []filter
	Charts   []chart
	Cards    []card
	Cut      int // findings shown without source
	Rules    []ruleNote
	Failures []string
	Degraded []output.Degraded
}

// tile is one number at the top.
type tile struct {
	Count int
	Name  string
	Class string
}

// filter is a group of checkboxes that show or hide findings.
type filter struct {
	Title   string
	Choices []choice
}

type choice struct {
	Name  string
	Class string // of the findings that it shows
	Count int
}

// card is one finding.
type card struct {
	output.Finding
	Open    bool
	Anchor  string
	Text    string // the message without the rule, which stands beside it
	Classes string
	Verdict *badge
	// ShowTier is false where the verdict says the same.
	ShowTier bool
	Steps    []step
	Figures  []figure
	Fixes    []fixView
}

type badge struct{ Text, Class string }

type step struct {
	output.Step
	N    int
	Here bool // the source is shown
}

type ruleNote struct {
	ID, Title  string
	Paragraphs []string
}

func newPage(r *output.Report, o Options) *page {
	p := &page{
		Subject:  o.Subject,
		Version:  o.Version,
		Tiles:    tiles(r),
		Failures: r.Failures,
		Degraded: r.Degraded,
	}
	src := &sources{read: func(file string) ([]byte, error) { return os.ReadFile(o.Paths.Abs(file)) }}
	for i := range r.Findings {
		p.Cards = append(p.Cards, newCard(&r.Findings[i], i, len(r.Findings), src))
	}
	p.Cut = max(len(r.Findings)-maxSource, 0)
	p.Filters = filters(r)
	p.Style = template.CSS(style + filterStyle(p.Filters)) // the style sheet is ours, class names are cleaned
	for i := range r.Live {
		p.Charts = append(p.Charts, newChart(&r.Live[i], i))
	}
	p.Rules = notes(r)
	return p
}

func tiles(r *output.Report) []tile {
	list := []tile{{r.Summary.Findings, plural(r.Summary.Findings, "finding"), "all"}}
	for _, v := range output.Verdicts {
		if n := r.Summary.ByVerdict[v]; n > 0 {
			list = append(list, tile{n, strings.ReplaceAll(v, "-", " "), "v-" + class(v)})
		}
	}
	if len(r.Summary.ByVerdict) == 0 {
		for _, t := range output.Tiers {
			if n := r.Summary.ByTier[t]; n > 0 {
				list = append(list, tile{n, t, "t-" + class(t)})
			}
		}
	}
	if n := r.Summary.Baselined; n > 0 {
		list = append(list, tile{n, "known from the baseline", "quiet"})
	}
	if n := r.Summary.Degraded; n > 0 {
		list = append(list, tile{n, "analysed in less depth", "quiet"})
	}
	if n := r.Summary.Failed; n > 0 {
		list = append(list, tile{n, plural(n, "failure"), "failed"})
	}
	return list
}

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// filters returns the groups that have something to choose from.
func filters(r *output.Report) []filter {
	groups := []struct {
		title, prefix string
		of            func(*output.Finding) string
		order         []string
	}{
		{"Proof", "v-", verdictOf, output.Verdicts},
		{"Tier", "t-", func(f *output.Finding) string { return f.Tier }, output.Tiers},
		{"Rule", "r-", func(f *output.Finding) string { return f.Rule }, nil},
	}
	var list []filter
	for _, g := range groups {
		counts := map[string]int{}
		for i := range r.Findings {
			if name := g.of(&r.Findings[i]); name != "" {
				counts[name]++
			}
		}
		names := make([]string, 0, len(counts))
		for name := range counts {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int {
			if i, j := slices.Index(g.order, a), slices.Index(g.order, b); i != j {
				return i - j
			}
			return strings.Compare(a, b)
		})
		if len(names) < 2 {
			continue // nothing to choose
		}
		f := filter{Title: g.title}
		for _, name := range names {
			f.Choices = append(f.Choices, choice{strings.ReplaceAll(name, "-", " "), g.prefix + class(name), counts[name]})
		}
		list = append(list, f)
	}
	return list
}

// filterStyle hides the findings whose box is not ticked.
func filterStyle(list []filter) string {
	var b strings.Builder
	for _, f := range list {
		for _, c := range f.Choices {
			fmt.Fprintf(&b, "body:has(#show-%s:not(:checked)) .finding.%s{display:none}\n", c.Class, c.Class)
		}
	}
	return b.String()
}

func verdictOf(f *output.Finding) string {
	if f.Proof == nil {
		return ""
	}
	return f.Proof.Verdict
}

// class makes a word fit for a class name.
func class(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, s)
}

func newCard(f *output.Finding, i, all int, src *sources) card {
	c := card{
		Finding: *f,
		Open:    all <= maxOpen,
		Anchor:  fmt.Sprintf("f%d", i+1),
		Text:    strings.TrimSuffix(f.Message, " ("+f.Rule+")"),
		Classes: "r-" + class(f.Rule) + " t-" + class(f.Tier),
	}
	c.ShowTier = f.Tier != verdictOf(f)
	if v := verdictOf(f); v != "" {
		c.Classes += " v-" + class(v)
		c.Verdict = &badge{strings.ReplaceAll(v, "-", " "), "v-" + class(v)}
	}
	trace := pathOf(f)
	if i < maxSource {
		c.Figures = figures(f, trace, src)
		c.Fixes = fixViews(f, src)
	}
	for n, s := range trace {
		here := slices.ContainsFunc(c.Figures, func(g figure) bool { return g.File == s.File })
		c.Steps = append(c.Steps, step{s, n + 1, here})
	}
	return c
}

// pathOf returns the stops that are drawn: those of the trace, and where the
// finding stands if the trace does not come by, so that there always is one.
func pathOf(f *output.Finding) []output.Step {
	trace := slices.Clone(f.Trace)
	if len(trace) == 0 && f.Acquired != nil && (f.Acquired.File != f.File || f.Acquired.Line != f.Line) {
		trace = append(trace, output.Step{File: f.Acquired.File, Line: f.Acquired.Line, Text: "acquired here"})
	}
	for _, s := range trace {
		if s.File == f.File && s.Line == f.Line {
			return trace
		}
	}
	if f.Line == 0 {
		return trace // an observed leak may have no place in the source
	}
	here := output.Step{File: f.File, Line: f.Line, Text: "reported here"}
	if n := len(trace) - 1; n > 0 && trace[n].File == f.File && trace[n].Line > f.Line {
		return slices.Insert(trace, n, here) // lost in the middle, gone at the end
	}
	return append(trace, here)
}

// notes explains each rule that was reported, since a page that is read
// without a network cannot link to the documentation alone.
func notes(r *output.Report) []ruleNote {
	var list []ruleNote
	for _, rule := range rules.Catalog() {
		if r.Summary.ByRule[rule.ID] == 0 {
			continue
		}
		n := ruleNote{ID: rule.ID, Title: rule.Title}
		for para := range strings.SplitSeq(strings.TrimSpace(rule.Text), "\n\n") {
			n.Paragraphs = append(n.Paragraphs, strings.Join(strings.Fields(para), " "))
		}
		list = append(list, n)
	}
	return list
}
