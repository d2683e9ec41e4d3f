// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package output holds what a run has found in the form that every output
// format prints. The formats are its sub-packages; none of them knows how a
// finding came about.
//
// The order of findings and every text in them depend on the analysed source
// alone, so that two runs print the same bytes.
package output

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
)

// Version is the version of the JSON form of a Report. It rises when a field
// changes its meaning, not when one is added.
const Version = 1

// A Report is the outcome of a run.
type Report struct {
	Version  int        `json:"version"`
	Findings []Finding  `json:"findings"`
	Degraded []Degraded `json:"degraded"`
	Failures []string   `json:"failures"` // one line for each package or pattern that was not analysed
	Summary  Summary    `json:"summary"`

	// Live is what was held over the runs that proved the findings. It is
	// for pictures: when what happened differs between runs, so no format
	// that is compared has it.
	Live []LiveChart `json:"-"`
}

// A Finding is one thing to mend.
type Finding struct {
	Rule        string `json:"rule"`
	Pass        string `json:"pass"`
	Tier        string `json:"tier"`
	Package     string `json:"package"`
	File        string `json:"file"` // relative to the module root, with slashes
	Line        int    `json:"line"`
	Column      int    `json:"column"` // in bytes, from 1
	EndLine     int    `json:"end_line,omitempty"`
	EndColumn   int    `json:"end_column,omitempty"`
	Function    string `json:"function"`
	Message     string `json:"message"`
	Resource    string `json:"resource"`
	Acquired    *Place `json:"acquired,omitempty"`
	Trace       []Step `json:"trace"`
	Fingerprint string `json:"fingerprint"` // stays when lines move
	Fixes       []Fix  `json:"fixes"`
	Proof       *Proof `json:"proof,omitempty"`
	Path        string `json:"-"` // absolute path of File on this machine
}

// A Place is a line of a file.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// A Step is one stop on the way from the acquisition to the loss.
type Step struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// A Fix is a change that mends the finding.
type Fix struct {
	Message string `json:"message"`
	Edits   []Edit `json:"edits"`
}

// An Edit replaces the bytes from Start up to End of a file.
type Edit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
	Path  string `json:"-"` // absolute path of File on this machine
}

// Degraded names a function that was analysed with less than full precision.
type Degraded struct {
	Package  string `json:"package"`
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Reason   string `json:"reason"`
}

// A Summary counts what the report lists.
type Summary struct {
	Findings  int            `json:"findings"`
	ByTier    map[string]int `json:"by_tier"`
	ByRule    map[string]int `json:"by_rule"`
	ByVerdict map[string]int `json:"by_verdict,omitempty"` // only if the findings were tried out
	Baselined int            `json:"baselined"`            // known from the baseline, not listed
	Degraded  int            `json:"degraded"`
	Failed    int            `json:"failed"`
}

// New makes a report of findings and degraded functions: sorted, without
// repetitions, with fingerprints and counts.
func New(findings []Finding, degraded []Degraded) *Report {
	slices.SortFunc(findings, compareFindings)
	findings = slices.CompactFunc(findings, func(a, b Finding) bool { return compareFindings(a, b) == 0 })
	slices.SortFunc(degraded, compareDegraded)
	degraded = slices.Compact(degraded)
	r := &Report{
		Version:  Version,
		Findings: slices.Clip(append([]Finding{}, findings...)),
		Degraded: slices.Clip(append([]Degraded{}, degraded...)),
		Failures: []string{},
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Trace = append([]Step{}, f.Trace...)
		f.Fixes = append([]Fix{}, f.Fixes...)
	}
	setFingerprints(r.Findings)
	r.Count()
	return r
}

// Count brings the counts in the summary up to date with the lists.
func (r *Report) Count() {
	r.Summary.Findings = len(r.Findings)
	r.Summary.Degraded = len(r.Degraded)
	r.Summary.Failed = len(r.Failures)
	r.Summary.ByTier = map[string]int{}
	r.Summary.ByRule = map[string]int{}
	r.Summary.ByVerdict = map[string]int{}
	for _, f := range r.Findings {
		r.Summary.ByTier[f.Tier]++
		r.Summary.ByRule[f.Rule]++
		if f.Proof != nil {
			r.Summary.ByVerdict[f.Proof.Verdict]++
		}
	}
}

// compareFindings orders by position, rule and message. Two findings that
// agree in these are one finding seen twice, as in a package and in the same
// package with its tests.
func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Message, b.Message),
	)
}

func compareDegraded(a, b Degraded) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Function, b.Function),
		cmp.Compare(a.Reason, b.Reason),
		cmp.Compare(a.Package, b.Package),
	)
}

// setFingerprints gives each finding a name that does not depend on where in
// the file it is. Equal findings of one function are told apart by their
// order.
func setFingerprints(findings []Finding) {
	seen := map[string]int{}
	for i := range findings {
		f := &findings[i]
		key := f.Rule + "\x00" + f.Package + "\x00" + f.Function + "\x00" + Normalize(f.Message)
		seen[key]++
		if n := seen[key]; n > 1 {
			key += "\x00" + strconv.Itoa(n)
		}
		sum := sha256.Sum256([]byte(key))
		f.Fingerprint = hex.EncodeToString(sum[:12])
	}
}

var (
	wordLine = regexp.MustCompile(`\b(lines?) [0-9]+`)
	fileLine = regexp.MustCompile(`(\.go):[0-9]+(:[0-9]+)?`)
)

// Normalize returns a message without the line numbers in it, which change
// when the file is edited elsewhere.
func Normalize(message string) string {
	return fileLine.ReplaceAllString(wordLine.ReplaceAllString(message, "$1 N"), "$1:N")
}
