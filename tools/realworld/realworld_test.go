// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The committed judgements must be readable before anybody waits a quarter
// of an hour for the findings.
func TestCommittedJudgements(t *testing.T) {
	if _, err := readJudgements("judgements.json"); err != nil {
		t.Fatal(err)
	}
	known, err := readLeaks("known.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range known {
		if l.Target == "" || l.File == "" || l.Line == 0 || l.What == "" {
			t.Errorf("known.json: %+v: an entry needs target, file, line and what", l)
		}
	}
}

func TestTargetsAreFixed(t *testing.T) {
	seen := map[string]bool{}
	for _, target := range targets() {
		if seen[target.Name] {
			t.Errorf("two targets are named %s: their judgements would mix", target.Name)
		}
		seen[target.Name] = true
		if target.Module != "" && !strings.HasPrefix(target.Version, "v") {
			t.Errorf("%s: version %q is not fixed: judgements name lines", target.Name, target.Version)
		}
		if len(target.Patterns) == 0 || target.Why == "" {
			t.Errorf("%s: has no patterns or no word on why", target.Name)
		}
	}
}

func TestReadJudgements(t *testing.T) {
	const good = `{"target":"hugot","rule":"GM101","file":"a.go","line":3,"acquired":1,"verdict":"true","reason":"lost"}`
	for _, test := range []struct{ name, text, want string }{
		{"good", "[" + good + "]", ""},
		{"twice", "[" + good + "," + good + "]", "judged twice"},
		{"no reason", "[" + strings.Replace(good, "lost", "", 1) + "]", "no reason"},
		{"no verdict", "[" + strings.Replace(good, `"true"`, `"perhaps"`, 1) + "]", "neither true nor false"},
		{"no target", "[" + strings.Replace(good, "hugot", "hugo", 1) + "]", "no such target"},
		{"no JSON", "[" + good, "unexpected end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "judgements.json")
			if err := os.WriteFile(name, []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := readJudgements(name)
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got error %v, want one that says %q", err, test.want)
			}
		})
	}
}

// A page is judged by its numbers: they must follow from the verdicts.
func TestRender(t *testing.T) {
	res := result{Target: target{Name: "hugot", Module: "example.com/m", Version: "v1.0.0"}, Packages: 2}
	for line := 1; line <= 4; line++ {
		f := finding{Rule: "GM101", Tier: "definite", File: "a.go", Line: line, Message: "a | b (GM101)"}
		f.Acquired.Line = 1
		res.Findings = append(res.Findings, f)
	}
	res.Findings[3].Tier = "possible"
	all := judgements{}
	for line, verdict := range map[int]string{1: "true", 2: "true", 3: "false"} {
		j := judgement{Target: "hugot", Rule: "GM101", File: "a.go", Line: line, Acquired: 1, Verdict: verdict, Reason: "read"}
		all[key{j.Target, j.Rule, j.File, j.Line, j.Acquired}] = j
	}
	gone := key{"hugot", "GM102", "b.go", 9, 9}
	all[gone] = judgement{Verdict: "true", Reason: "was seen once"}
	res.judge(all)
	silent := result{Target: target{Name: "std", Silent: true}, Findings: []finding{{Tier: "definite", File: "x.go", Line: 1}}}
	silent.judge(all)

	known := []leak{{"hugot", "a.go", 1, "is found"}, {"hugot", "a.go", 4, "is possible"}, {"hugot", "b.go", 1, "is not found"}}
	page := render([]result{res, silent}, known)
	for _, want := range []string{
		"| definite | 2 | 2 | 0 | 50.0 % |",
		"| possible | 0 | 0 | 1 | - |",
		"| **shown by default** | 2 | 2 | 0 | 50.0 % |",
		`a \| b (GM101) | definite | **true**: read |`,
		"reports 1 as definite, 0 as likely, 1 as possible, and misses 1.",
		"- missed: hugot `b.go:1`: is not found",
		"the standard library : 0 packages, 1 findings",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "`a.go:4`") {
		t.Errorf("the page lists a possible finding that nobody has judged:\n%s", page)
	}
	stale := all.stale([]result{res, silent})
	if len(stale) != 1 || !strings.HasPrefix(stale[0], gone.String()) {
		t.Errorf("stale judgements: %q, want only %s", stale, gone)
	}
}
