// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Severity is how bad a finding of a rule is, in the words of SARIF.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"   // crashes or corrupts memory
	SeverityWarning Severity = "warning" // memory is lost
	SeverityNote    Severity = "note"    // memory is wasted, or comes back late
)

// Rule is what gpumemlint reports under one ID. IDs are never used again.
type Rule struct {
	ID       string // "GM101"
	Pass     string // the analyzer, and the folder below passes/
	Title    string // what it reports, lower case, no full stop
	Severity Severity
	Since    string // the first version that has the rule
	Planned  bool   // the ID is taken, but no pass reports it yet
	Default  bool   // reported unless rules are chosen

	Text        string // why it matters and what to do; paragraphs
	Wrong       string // Go declarations that are reported
	Message     string // the finding on Wrong, without the file position
	Right       string // the same, corrected; not reported
	NotReported string // where the rule stays silent, and why
}

// Catalog returns all rules, sorted by ID. The slice is the caller's.
func Catalog() []Rule {
	return slices.Concat(catalogLeak, catalogKeep, catalogUse, catalogOwner, catalogCost)
}

// RuleByID finds a rule by its ID, in upper or lower case, or by its pass.
func RuleByID(id string) (Rule, bool) {
	for _, r := range Catalog() {
		if strings.EqualFold(r.ID, id) || r.Pass == id {
			return r, true
		}
	}
	return Rule{}, false
}

// Markdown is the page about r in docs/rules.
func (r Rule) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- Generated from rules/catalog_*.go by go test ./rules -run TestPages -update. -->\n\n")
	fmt.Fprintf(&b, "# %s: %s\n\n", r.ID, r.Title)
	state := "reported by default"
	switch {
	case r.Planned:
		state = "planned: the ID is reserved, and nothing reports it yet"
	case !r.Default:
		state = "reported when asked for with `-rules " + r.ID + "`"
	}
	fmt.Fprintf(&b, "Pass `%s`, severity %s, %s", r.Pass, r.Severity, state)
	if !r.Planned {
		fmt.Fprintf(&b, ", since %s", r.Since)
	}
	fmt.Fprintf(&b, ".\n\n%s\n\n", strings.TrimSpace(r.Text))
	fmt.Fprintf(&b, "## Wrong\n\n```go\n%s\n```\n\n", strings.TrimSpace(r.Wrong))
	fmt.Fprintf(&b, "The finding:\n\n```\n%s\n```\n\n", r.Message)
	fmt.Fprintf(&b, "## Right\n\n```go\n%s\n```\n\n", strings.TrimSpace(r.Right))
	fmt.Fprintf(&b, "## Not reported\n\n%s\n\n", strings.TrimSpace(r.NotReported))
	fmt.Fprintf(&b, "## Suppressing\n\n`//nolint:%s // reason` on the line of the finding, or a baseline.\n", r.ID)
	return b.String()
}

// CatalogMarkdown is the table of all rules, docs/rules/README.md.
func CatalogMarkdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- Generated from rules/catalog_*.go by go test ./rules -run TestPages -update. -->\n\n")
	fmt.Fprintf(&b, "# Rules\n\nThe number stands in every message. Rules marked planned have no pass yet.\n\n")
	fmt.Fprintf(&b, "| ID | pass | reports | severity | |\n|---|---|---|---|---|\n")
	for _, r := range Catalog() {
		state := ""
		if r.Planned {
			state = "planned"
		}
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s | %s | %s |\n", r.ID, r.ID, r.Pass, r.Title, r.Severity, state)
	}
	return b.String()
}
