// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/rules from the catalogue")

var ruleID = regexp.MustCompile(`^GM[1-5]\d\d$`)

// TestCatalog holds every rule to what the drivers and the pages need.
func TestCatalog(t *testing.T) {
	all := Catalog()
	if !slices.IsSortedFunc(all, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("rules are not sorted by ID")
	}
	seen := map[string]bool{}
	for _, r := range all {
		if !ruleID.MatchString(r.ID) || seen[r.ID] || seen[r.Pass] {
			t.Errorf("%s (%s): bad or second ID or pass", r.ID, r.Pass)
		}
		seen[r.ID], seen[r.Pass] = true, true
		for name, text := range map[string]string{
			"Title": r.Title, "Text": r.Text, "Wrong": r.Wrong, "Right": r.Right,
			"Message": r.Message, "NotReported": r.NotReported, "Severity": string(r.Severity),
		} {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s has no %s", r.ID, name)
			}
		}
		if r.Title[0] >= 'A' && r.Title[0] <= 'Z' || strings.HasSuffix(r.Title, ".") {
			t.Errorf("%s: title %q is not lower case without a full stop", r.ID, r.Title)
		}
		if !strings.HasSuffix(r.Message, " ("+r.ID+")") {
			t.Errorf("%s: message %q does not end in its ID", r.ID, r.Message)
		}
		if r.Planned == (r.Since != "") || r.Planned && r.Default {
			t.Errorf("%s: a rule is either planned or has a Since", r.ID)
		}
		_, err := os.Stat(filepath.Join("..", "passes", r.Pass))
		if has := err == nil; has == r.Planned {
			t.Errorf("%s: planned is %v, but passes/%s exists: %v", r.ID, r.Planned, r.Pass, has)
		}
		for _, code := range []string{r.Wrong, r.Right} {
			src := strings.TrimSpace(code) + "\n"
			out, err := format.Source([]byte(src))
			if err != nil || string(out) != src {
				t.Errorf("%s: example is no gofmted Go (%v):\n%s", r.ID, err, src)
			}
		}
	}
}

func TestRuleByID(t *testing.T) {
	for _, id := range []string{"GM101", "gm101", "errpath"} {
		if r, ok := RuleByID(id); !ok || r.ID != "GM101" {
			t.Errorf("RuleByID(%q) = %q, %v", id, r.ID, ok)
		}
	}
	if _, ok := RuleByID("GM999"); ok {
		t.Error("RuleByID found GM999")
	}
}

// TestPages keeps docs/rules current.
func TestPages(t *testing.T) {
	want := map[string]string{"README.md": CatalogMarkdown()}
	for _, r := range Catalog() {
		want[r.ID+".md"] = r.Markdown()
	}
	dir := filepath.Join("..", "docs", "rules")
	for name, text := range want {
		if *update {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != text {
			t.Errorf("docs/rules/%s is not current: run go test ./rules -run TestPages -update", name)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := want[e.Name()]; !ok {
			t.Errorf("docs/rules/%s belongs to no rule", e.Name())
		}
	}
}
