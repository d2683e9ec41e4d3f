// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gitlab prints a report as GitLab's code quality artifact, which is
// shown in merge requests: the new findings, and those that are gone.
//
// GitLab tells findings apart by their fingerprint alone, so it is the one that
// stays when lines move. File names must be relative to the repository.
package gitlab

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/gpumemlint/gpumemlint/internal/output"
)

type issue struct {
	Description string   `json:"description"`
	CheckName   string   `json:"check_name"`
	Fingerprint string   `json:"fingerprint"`
	Severity    string   `json:"severity"`
	Location    location `json:"location"`
}

type location struct {
	Path  string `json:"path"`
	Lines lines  `json:"lines"`
}

type lines struct {
	Begin int `json:"begin"`
	End   int `json:"end,omitempty"`
}

// Write prints the findings to w; none at all is an empty list.
func Write(w io.Writer, r *output.Report) error {
	issues := []issue{}
	for i := range r.Findings {
		f := &r.Findings[i]
		issues = append(issues, issue{
			Description: f.Message, CheckName: f.Rule, Fingerprint: f.Fingerprint, Severity: severity(f.Tier),
			Location: location{Path: f.File, Lines: lines{Begin: f.Line, End: f.EndLine}},
		})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(issues); err != nil {
		return fmt.Errorf("cannot write findings: %w", err)
	}
	return nil
}

// severity is one of GitLab's info, minor, major, critical and blocker.
func severity(tier string) string {
	switch tier {
	case "definite", "observed":
		return "critical"
	case "likely":
		return "major"
	}
	return "info"
}
