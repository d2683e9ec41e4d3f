// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package text prints a report for people: one line a finding, in the form
// that editors and CI systems know, and on demand the source below it.
package text

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/output"
)

// Options say how to print.
type Options struct {
	Dir     string // file names are relative to this directory if inside it
	Context bool   // show the source line, the acquisition and the path
	Colour  bool   // use terminal colours (around, never in, the message)
}

// Terminal control sequences.
const (
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	red   = "\x1b[31m"
	plain = "\x1b[0m"
)

// Write prints the findings to w.
func Write(w io.Writer, r *output.Report, o Options) error {
	p := &printer{w: bufio.NewWriter(w), o: o, files: map[string][]string{}}
	for i := range r.Findings {
		p.finding(&r.Findings[i])
	}
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("cannot write findings: %w", err)
	}
	return nil
}

type printer struct {
	w     *bufio.Writer
	o     Options
	files map[string][]string // lines by path; nil for a file that can't be read
}

func (p *printer) colour(code, s string) string {
	if !p.o.Colour {
		return s
	}
	return code + s + plain
}

func (p *printer) finding(f *output.Finding) {
	at := fmt.Sprintf("%s:%d:%d:", p.name(f), f.Line, f.Column)
	fmt.Fprintf(p.w, "%s %s\n", p.colour(bold, at), f.Message)
	if f.Proof != nil {
		fmt.Fprintf(p.w, "    %s\n", p.colour(verdictColour(f.Proof.Verdict), proofLine(f.Proof)))
	}
	if !p.o.Context {
		return
	}
	if line, ok := p.line(f.Path, f.Line); ok {
		fmt.Fprintf(p.w, "    %s\n", strings.ReplaceAll(line, "\t", "    "))
		fmt.Fprintf(p.w, "    %s\n", p.colour(red, marker(line, f)))
	}
	for _, s := range p.steps(f) {
		fmt.Fprintf(p.w, "    %s\n", p.colour(faint, s))
	}
}

// proofLine is what the runs say of a finding.
func proofLine(p *output.Proof) string {
	line := strings.ReplaceAll(p.Verdict, "-", " ")
	if p.Test != "" {
		line += " by " + p.Test
	}
	return line + ": " + p.Detail
}

func verdictColour(verdict string) string {
	if verdict == output.Confirmed || verdict == output.Observed {
		return red
	}
	return faint
}

// marker returns the carets below line, which is shown with each tab as four
// spaces.
func marker(line string, f *output.Finding) string {
	width := func(s string) int { return len([]rune(strings.ReplaceAll(s, "\t", "    "))) }
	start := min(max(f.Column-1, 0), len(line))
	end := len(line) // it goes on below
	if f.EndLine == 0 || f.EndLine == f.Line {
		end = min(max(f.EndColumn-1, start), len(line))
	}
	return strings.Repeat(" ", width(line[:start])) + strings.Repeat("^", max(width(line[start:end]), 1))
}

// steps returns the path of a finding, or at least its acquisition.
func (p *printer) steps(f *output.Finding) []string {
	var steps []string
	for _, s := range f.Trace {
		steps = append(steps, fmt.Sprintf("%s:%d: %s", s.File, s.Line, s.Text))
	}
	if len(steps) == 0 && f.Acquired != nil {
		steps = append(steps, fmt.Sprintf("%s:%d: acquired here", f.Acquired.File, f.Acquired.Line))
	}
	return steps
}

// name returns the file's name as the user would type it here.
func (p *printer) name(f *output.Finding) string {
	if rel, ok := output.Inside(p.o.Dir, f.Path); ok {
		return filepath.ToSlash(rel)
	}
	return f.File
}

func (p *printer) line(path string, n int) (string, bool) {
	lines, ok := p.files[path]
	if !ok {
		if data, err := os.ReadFile(path); err == nil {
			lines = strings.Split(string(data), "\n")
		}
		p.files[path] = lines
	}
	if n < 1 || n > len(lines) {
		return "", false
	}
	return strings.TrimRight(lines[n-1], "\r"), true
}

// Summary returns one line that counts the findings by tier, surest first,
// as in "3 findings (2 definite, 1 likely)", or by verdict if they were tried
// out. It is empty if there is nothing to tell.
func Summary(r *output.Report) string {
	var parts []string
	if n := r.Summary.Findings; n > 0 {
		parts = append(parts, fmt.Sprintf("%s (%s)", count(n, "finding"), strings.Join(kinds(r), ", ")))
	}
	if n := r.Summary.Baselined; n > 0 {
		parts = append(parts, fmt.Sprintf("%d known from the baseline", n))
	}
	if n := r.Summary.Degraded; n > 0 {
		parts = append(parts, count(n, "function")+" analysed in less depth")
	}
	if n := r.Summary.Failed; n > 0 && len(parts) > 0 { // otherwise the failures say it all
		parts = append(parts, count(n, "failure"))
	}
	return strings.Join(parts, ", ")
}

// kinds counts the findings by verdict, or by tier if none was tried out.
func kinds(r *output.Report) []string {
	var list []string
	if len(r.Summary.ByVerdict) == 0 {
		for _, tier := range output.Tiers {
			if k := r.Summary.ByTier[tier]; k > 0 {
				list = append(list, strconv.Itoa(k)+" "+tier)
			}
		}
		return list
	}
	tried := 0
	for _, v := range []struct{ verdict, name string }{
		{output.Confirmed, "confirmed"}, {output.NotObserved, "not observed"},
		{output.NotExercised, "not exercised"}, {output.Observed, "observed only"},
	} {
		list = append(list, fmt.Sprintf("%d %s", r.Summary.ByVerdict[v.verdict], v.name))
		tried += r.Summary.ByVerdict[v.verdict]
	}
	if n := r.Summary.Findings - tried; n > 0 {
		list = append(list, fmt.Sprintf("%d not tried", n))
	}
	return list
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
