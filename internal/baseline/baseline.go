// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package baseline lets an old code base start clean: findings that were
// there when the baseline was written are not reported again.
//
// An entry names a rule, a package, a function and a message without its line
// numbers, and how often they occur together; edits elsewhere in the file do
// not touch it. One more of the same is a new finding. An entry that finds
// nothing any more is stale and is named, so that the baseline only shrinks.
package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/gpumemlint/gpumemlint/internal/output"
)

const version = 1

// An Entry stands for Count findings that are alike.
type Entry struct {
	Rule     string `json:"rule"`
	Package  string `json:"package"`
	Function string `json:"function"`
	Message  string `json:"message"`
	Count    int    `json:"count"`
}

type key struct{ rule, pkg, function, message string }

func (e Entry) key() key { return key{e.Rule, e.Package, e.Function, e.Message} }

type file struct {
	Version  int     `json:"version"`
	Findings []Entry `json:"findings"`
}

// Of returns the entries that cover all the findings, sorted.
func Of(findings []output.Finding) []Entry {
	byKey := map[key]*Entry{}
	entries := []Entry{}
	for _, f := range findings {
		e := Entry{Rule: f.Rule, Package: f.Package, Function: f.Function, Message: output.Normalize(f.Message)}
		if known, ok := byKey[e.key()]; ok {
			known.Count++
			continue
		}
		e.Count = 1
		byKey[e.key()] = &e
	}
	for _, e := range byKey {
		entries = append(entries, *e)
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Function, b.Function),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	return entries
}

// Write stores entries in a file, replacing it.
func Write(name string, entries []Entry) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(file{Version: version, Findings: entries}); err != nil {
		return fmt.Errorf("cannot write baseline %s: %w", name, err)
	}
	if err := os.WriteFile(name, buf.Bytes(), 0o666); err != nil {
		return fmt.Errorf("cannot write baseline: %w", err)
	}
	return nil
}

// Read loads what Write stored.
func Read(name string) ([]Entry, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read baseline: %w; make one with -write-baseline", err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var f file
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s is not a baseline: %w; make one with -write-baseline", name, err)
	}
	if f.Version != version {
		return nil, fmt.Errorf("%s is a baseline of version %d, want %d; make a new one with -write-baseline", name, f.Version, version)
	}
	return f.Findings, nil
}

// Apply returns the findings that the entries do not cover, in order, and the
// entries that cover more than there is, with the surplus as their count.
// Among equal findings the first ones are covered.
func Apply(findings []output.Finding, entries []Entry) (fresh []output.Finding, stale []Entry) {
	fresh = []output.Finding{} // never nil: it is an empty list in JSON
	left := map[key]int{}
	for _, e := range entries {
		left[e.key()] += e.Count
	}
	for _, f := range findings {
		k := key{f.Rule, f.Package, f.Function, output.Normalize(f.Message)}
		if left[k] > 0 {
			left[k]--
			continue
		}
		fresh = append(fresh, f)
	}
	for _, e := range entries {
		if n := left[e.key()]; n > 0 {
			left[e.key()] = 0
			e.Count = n
			stale = append(stale, e)
		}
	}
	return fresh, stale
}
