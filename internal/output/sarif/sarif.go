// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package sarif prints a report in the Static Analysis Results Interchange
// Format, version 2.1.0, which code hosts and editors read.
//
// What GitHub makes of it decided several points: it shows plain messages and
// the rules' Markdown help, wants file names relative to the repository under
// the base %SRCROOT%, and tells old alerts from new ones by fingerprint. No
// time, machine name or absolute path is written, so that equal findings give
// equal files.
package sarif

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/rules"
)

const (
	schema          = "https://json.schemastore.org/sarif-2.1.0.json"
	sourceRoot      = "%SRCROOT%"
	informationURI  = "https://github.com/gpumemlint/gpumemlint"
	rulePages       = informationURI + "/blob/main/docs/rules/"
	fingerprintName = "gpumemlint/v1"
)

// Write prints the report to w; toolVersion is that of gpumemlint.
func Write(w io.Writer, r *output.Report, toolVersion string) error {
	list, index := descriptors()
	cols := newColumns()
	results := []result{}
	for i := range r.Findings {
		results = append(results, newResult(&r.Findings[i], index, cols))
	}
	log := logFile{
		Schema:  schema,
		Version: "2.1.0",
		Runs: []run{{
			Tool:               tool{driver{Name: "gpumemlint", Version: toolVersion, InformationURI: informationURI, Rules: list}},
			OriginalURIBaseIDs: map[string]uriBase{sourceRoot: {text{Text: "the root directory of the repository, or of the module where there is none"}}},
			Invocations:        []invocation{newInvocation(r)},
			ColumnKind:         "utf16CodeUnits",
			Results:            results,
		}},
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(log); err != nil {
		return fmt.Errorf("cannot write SARIF: %w", err)
	}
	return nil
}

// descriptors returns what SARIF has to know of the rules, and where in that
// list each is.
func descriptors() (list []descriptor, index map[string]int) {
	index = map[string]int{}
	for _, r := range rules.Catalog() {
		if r.Planned {
			continue // nothing reports it
		}
		index[r.ID] = len(list)
		list = append(list, descriptor{
			ID:               r.ID,
			Name:             r.Pass,
			ShortDescription: text{Text: r.Title},
			FullDescription:  text{Text: firstParagraph(r.Text)},
			HelpURI:          rulePages + r.ID + ".md",
			Help:             &text{Text: r.Text, Markdown: help(r)},
			Default:          configuration{Level: string(r.Severity)},
			Properties:       &ruleProperties{Tags: []string{"gpu", "memory", "resource-leak"}},
		})
	}
	return list, index
}

func firstParagraph(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n\n")
	return strings.Join(strings.Fields(s), " ")
}

// help is the rule's page without the note to those who edit it.
func help(r rules.Rule) string {
	md := r.Markdown()
	if strings.HasPrefix(md, "<!--") {
		_, md, _ = strings.Cut(md, "-->")
	}
	return strings.TrimSpace(md)
}

func newInvocation(r *output.Report) invocation {
	inv := invocation{ExecutionSuccessful: len(r.Failures) == 0}
	for _, f := range r.Failures {
		inv.Notifications = append(inv.Notifications, notification{Level: "error", Message: text{Text: f}})
	}
	return inv
}

func newResult(f *output.Finding, index map[string]int, cols *columns) result {
	res := result{
		RuleID:       f.Rule,
		Level:        level(f),
		Message:      text{Text: f.Message + proofText(f.Proof)},
		Fingerprints: map[string]string{fingerprintName: f.Fingerprint},
		Properties:   &resultProperties{Tier: f.Tier, Resource: f.Resource, Proof: f.Proof},
		Locations: []location{{
			Physical: &physical{
				Artifact: artifact(f.File),
				Region: &region{
					StartLine: f.Line, StartColumn: cols.utf16(f.Path, f.Line, f.Column),
					EndLine: f.EndLine, EndColumn: cols.utf16(f.Path, f.EndLine, f.EndColumn),
				},
			},
			Logical: logicalOf(f),
		}},
	}
	if i, ok := index[f.Rule]; ok {
		res.RuleIndex = &i
	}
	res.Fixes = newFixes(f, cols)
	if a := f.Acquired; a != nil {
		res.Related = []location{at(a.File, a.Line, "acquired here")}
	}
	if len(f.Trace) > 0 {
		var steps []flowLocation
		for _, s := range f.Trace {
			steps = append(steps, flowLocation{at(s.File, s.Line, s.Text)})
		}
		res.CodeFlows = []codeFlow{{[]threadFlow{{steps}}}}
	}
	return res
}

// proofText is what the runs say of a finding, for viewers that show no
// properties.
func proofText(p *output.Proof) string {
	if p == nil {
		return ""
	}
	line := ". " + strings.ToUpper(p.Verdict[:1]) + strings.ReplaceAll(p.Verdict[1:], "-", " ")
	if p.Test != "" {
		line += " by " + p.Test
	}
	return line + ": " + p.Detail
}

// level is the rule's own severity, but that of a note for what is unsure.
func level(f *output.Finding) string {
	if f.Tier == "possible" {
		return string(rules.SeverityNote)
	}
	if r, ok := rules.RuleByID(f.Rule); ok {
		return string(r.Severity)
	}
	return string(rules.SeverityWarning)
}

func logicalOf(f *output.Finding) []logical {
	if f.Function == "" {
		return nil
	}
	return []logical{{Name: f.Package + "." + f.Function, Kind: "function"}}
}

func at(file string, line int, message string) location {
	return location{
		Physical: &physical{Artifact: artifact(file), Region: &region{StartLine: line}},
		Message:  &text{Text: message},
	}
}

// artifact names a file. One outside the module keeps its absolute name.
func artifact(file string) artifactLocation {
	if strings.HasPrefix(file, "/") {
		return artifactLocation{URI: (&url.URL{Scheme: "file", Path: file}).String()}
	}
	return artifactLocation{URI: (&url.URL{Path: file}).String(), Base: sourceRoot}
}
