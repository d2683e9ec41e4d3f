// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/gpumemlint/gpumemlint"
	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// The matrix passes if at least 17 of 18 wrong twins are found and at most 1 of
// 18 right ones is flagged, in every idiom.
const (
	minFound   = 17.0 / 18
	maxFlagged = 1.0 / 18
)

// twinName splits a declaration's name into pattern and twin.
var twinName = regexp.MustCompile(`([A-Za-z0-9]+?)(Wrong|Right)`)

// A score counts one idiom.
type score struct {
	rules        map[string][]string  // by pattern, where only those count
	wrong, right map[string][]Finding // by pattern; present with nil if silent
	stray        []Finding            // in declarations that both twins share
}

func TestMatrix(t *testing.T) {
	root := filepath.Join("..", "..", "testdata")
	stubs, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	gopath := t.TempDir()
	var patterns []string
	scores := map[string]*score{}
	for _, idiom := range Idioms {
		paths, err := Expand(filepath.Join(root, "matrix"), idiom, gopath)
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, paths...)
	}
	pkgs, err := Load(gopath+string(filepath.ListSeparator)+stubs, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := patternRules(filepath.Join(root, "matrix", "patterns"))
	if err != nil {
		t.Fatal(err)
	}
	askForAll(t)
	findings, err := Analyze(gpumemlint.Analyzers(), pkgs)
	if err != nil {
		t.Fatal(err)
	}
	for _, idiom := range Idioms {
		s := &score{rules: wanted, wrong: map[string][]Finding{}, right: map[string][]Finding{}}
		if err := s.declare(filepath.Join(gopath, "src", "matrix", idiom, "patterns.go")); err != nil {
			t.Fatal(err)
		}
		scores[idiom] = s
	}
	for _, f := range findings {
		scores[strings.Split(f.Package, "/")[1]].add(f)
	}
	for _, idiom := range Idioms {
		t.Run(idiom, func(t *testing.T) { scores[idiom].check(t) })
	}
	t.Log("\n" + table(scores))
}

// askForAll switches on the rules that are advice until the test ends.
func askForAll(t *testing.T) {
	old := report.Current()
	t.Cleanup(func() { report.Configure(old) })
	all := report.Defaults()
	for _, r := range rules.Catalog() {
		all.Rules = append(all.Rules, r.ID)
	}
	report.Configure(all)
}

// declare notes the patterns of a file, so that silent ones are counted.
func (s *score) declare(file string) error {
	list, err := spans(file)
	if err != nil {
		return err
	}
	for _, d := range list {
		switch m := twinName.FindStringSubmatch(d.name); {
		case m == nil: // shared by both twins
		case m[2] == "Wrong":
			s.wrong[m[1]] = nil
		default:
			s.right[m[1]] = nil
		}
	}
	return nil
}

// add files a finding under its pattern. Advice counts only where the pattern
// is about it, and a wrong twin's finding only if its rule is one of those that
// the pattern names.
func (s *score) add(f Finding) {
	m := twinName.FindStringSubmatch(f.Decl)
	var ids []string
	if m != nil {
		ids = s.rules[m[1]]
	}
	if r, ok := rules.RuleByID(f.Rule); ok && !r.Default && !slices.Contains(ids, f.Rule) {
		return // right code, which could be faster
	}
	switch {
	case m == nil:
		s.stray = append(s.stray, f)
	case m[2] == "Wrong":
		if ids == nil || slices.Contains(ids, f.Rule) {
			s.wrong[m[1]] = append(s.wrong[m[1]], f)
		}
	default:
		s.right[m[1]] = append(s.right[m[1]], f)
	}
}

// missed lists the patterns whose wrong twin is silent.
func (s *score) missed() []string {
	var out []string
	for name, fs := range s.wrong {
		if len(fs) == 0 {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

// flagged lists the patterns whose right twin is not silent.
func (s *score) flagged() []string {
	var out []string
	for name, fs := range s.right {
		if len(fs) > 0 {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

func (s *score) check(t *testing.T) {
	if n := len(s.wrong); n < 36 || n != len(s.right) {
		t.Fatalf("the matrix has %d wrong and %d right twins, expected as many of each and at least 36", n, len(s.right))
	}
	for _, name := range s.missed() {
		t.Logf("missed: %sWrong", name)
	}
	for _, name := range s.flagged() {
		for _, f := range s.right[name] {
			t.Logf("false alarm: %s", f)
		}
	}
	for _, f := range s.stray {
		t.Logf("false alarm in shared code: %s", f)
	}
	found := 1 - float64(len(s.missed()))/float64(len(s.wrong))
	flagged := float64(len(s.flagged())+len(s.stray)) / float64(len(s.right))
	if found < minFound {
		t.Errorf("found %.1f %% of the wrong twins, expected at least %.1f %%", 100*found, 100*minFound)
	}
	if flagged > maxFlagged {
		t.Errorf("flagged %.1f %% of the right twins, expected at most %.1f %%", 100*flagged, 100*maxFlagged)
	}
}

// table draws found and flagged per idiom.
func table(scores map[string]*score) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "idiom\twrong\tfound\tright\tflagged\tstray")
	for _, idiom := range Idioms {
		s := scores[idiom]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\n", idiom, len(s.wrong), len(s.wrong)-len(s.missed()),
			len(s.right), len(s.flagged()), len(s.stray))
	}
	w.Flush()
	return b.String()
}
