// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package github prints a report as GitHub Actions workflow commands, which
// show each finding at its line of a pull request without any upload.
//
// Definite findings become errors, likely ones warnings, all others notices.
// File names must be relative to the repository, so the module should be at
// its root; for one that is not, use SARIF.
package github

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/output"
)

// Write prints one command a finding to w.
func Write(w io.Writer, r *output.Report) error {
	out := bufio.NewWriter(w)
	for i := range r.Findings {
		f := r.Findings[i]
		fmt.Fprintf(out, "::%s file=%s,line=%d,col=%d", level(&f), property(f.File), f.Line, f.Column)
		if f.EndLine > 0 {
			fmt.Fprintf(out, ",endLine=%d,endColumn=%d", f.EndLine, f.EndColumn)
		}
		fmt.Fprintf(out, ",title=%s::%s\n", property(f.Rule), message(f.Message+proof(f.Proof)))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("cannot write findings: %w", err)
	}
	return nil
}

// proof is what the runs say of a finding, on a line of its own.
func proof(p *output.Proof) string {
	if p == nil {
		return ""
	}
	line := "\n" + strings.ReplaceAll(p.Verdict, "-", " ")
	if p.Test != "" {
		line += " by " + p.Test
	}
	return line + ": " + p.Detail
}

func level(f *output.Finding) string {
	if f.Proof != nil && f.Proof.Verdict == output.Confirmed {
		return "error" // whatever the tier: it was seen
	}
	switch f.Tier {
	case "definite", "observed":
		return "error"
	case "likely":
		return "warning"
	}
	return "notice"
}

var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func message(s string) string  { return messageEscapes.Replace(s) }
func property(s string) string { return propertyEscapes.Replace(s) }
