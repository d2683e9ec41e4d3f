// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sort"
)

// A judgement is what somebody who read the code says of a finding. The
// module's version is fixed, so lines identify the finding: they do not move.
type judgement struct {
	Target   string `json:"target"`
	Rule     string `json:"rule"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Acquired int    `json:"acquired"` // line of the acquisition
	Verdict  string `json:"verdict"`  // "true" or "false"
	Reason   string `json:"reason"`
}

type key struct {
	target, rule, file string
	line, acquired     int
}

func (k key) String() string {
	return fmt.Sprintf("%s %s %s:%d (acquired in line %d)", k.target, k.rule, k.file, k.line, k.acquired)
}

type judgements map[key]judgement

// readJudgements reads and checks the file of judgements. It takes no two for
// the same finding, and none without a reason.
func readJudgements(name string) (judgements, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []judgement
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	known := map[string]string{}
	for _, t := range targets() {
		known[t.Name] = t.Version
	}
	all := judgements{}
	for _, j := range list {
		k := key{j.Target, j.Rule, j.File, j.Line, j.Acquired}
		if _, ok := known[j.Target]; !ok {
			return nil, fmt.Errorf("%s: %s: no such target", name, k)
		}
		if j.Verdict != "true" && j.Verdict != "false" {
			return nil, fmt.Errorf("%s: %s: verdict %q is neither true nor false", name, k, j.Verdict)
		}
		if j.Reason == "" {
			return nil, fmt.Errorf("%s: %s: no reason is given", name, k)
		}
		if _, twice := all[k]; twice {
			return nil, fmt.Errorf("%s: %s: judged twice", name, k)
		}
		all[k] = j
	}
	return all, nil
}

// A leak is one that somebody found by reading the code, not by running the
// linter. It is named by where the resource is acquired.
type leak struct {
	Target string `json:"target"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	What   string `json:"what"`
}

func (l leak) String() string {
	return fmt.Sprintf("%s `%s:%d`: %s", l.Target, l.File, l.Line, l.What)
}

// readLeaks reads the file of known leaks.
func readLeaks(name string) ([]leak, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []leak
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	return list, nil
}

// tierOf returns the most certain tier of a finding that reports the leak,
// or "missed".
func (l leak) tierOf(results []result) string {
	best := len(tiers)
	for _, res := range results {
		if res.Target.Name != l.Target {
			continue
		}
		for _, f := range res.Findings {
			acquired := f.Acquired.File == l.File && f.Acquired.Line == l.Line
			reported := f.File == l.File && f.Line == l.Line
			if tier := slices.Index(tiers, f.Tier); (acquired || reported) && tier >= 0 && tier < best {
				best = tier
			}
		}
	}
	if best == len(tiers) {
		return "missed"
	}
	return tiers[best]
}

// judge gives each finding its verdict. On a silent target no reading is
// needed: what touches no GPU memory cannot lose any.
func (res *result) judge(all judgements) {
	for i := range res.Findings {
		f := &res.Findings[i]
		j, ok := all[res.key(*f)]
		switch {
		case ok:
			f.Verdict, f.Reason = j.Verdict, j.Reason
		case res.Target.Silent:
			f.Verdict, f.Reason = "false", "this module holds no GPU memory"
		}
	}
}

func (res *result) key(f finding) key {
	return key{res.Target.Name, f.Rule, f.File, f.Line, f.Acquired.Line}
}

// stale returns the judgements of findings that are no longer made. A true
// one among them may be a leak that the linter has stopped seeing.
func (all judgements) stale(results []result) []string {
	made := map[key]bool{}
	for _, res := range results {
		for _, f := range res.Findings {
			made[res.key(f)] = true
		}
	}
	var names []string
	for k, j := range all {
		if !made[k] {
			names = append(names, fmt.Sprintf("%s, judged %s: %s", k, j.Verdict, j.Reason))
		}
	}
	sort.Strings(names)
	return names
}
