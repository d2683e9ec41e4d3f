// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const detailPrefix = "gpumem:"

// Detail is what a diagnostic has no field for. With the flag detail it
// travels through go vet's JSON as the message of a related position, for the
// stand-alone driver to take out again.
type Detail struct {
	Tier     string       `json:"tier,omitempty"`
	Pass     string       `json:"pass"`
	Function string       `json:"function,omitempty"`
	Resource string       `json:"resource,omitempty"`
	Acquired *Place       `json:"acquired,omitempty"`
	Failing  *Call        `json:"failing,omitempty"`
	Trace    []DetailStep `json:"trace,omitempty"`
	Nolint   *Nolint      `json:"nolint,omitempty"` // for the categories nolint and silenced
	Fixes    []DetailFix  `json:"fixes,omitempty"`
}

// DetailFix is a Fix as it travels.
type DetailFix struct {
	Message string       `json:"message"`
	Edits   []DetailEdit `json:"edits"`
}

// DetailEdit is an Edit as it travels.
type DetailEdit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// Call is a call in the source.
type Call struct {
	Place
	Column int    `json:"column"` // of the function expression, in bytes from 1
	Name   string `json:"name"`   // as the user writes it; may be empty
}

// Place is a line of a source file, the name as the compiler was given it.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// DetailStep is a Step with its position resolved.
type DetailStep struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

func newDetail(pass *analysis.Pass, f Finding) Detail {
	d := Detail{Tier: f.Tier.String(), Pass: pass.Analyzer.Name, Function: f.Function, Resource: f.Resource}
	if f.Acquired.IsValid() {
		p := placeOf(pass.Fset, f.Acquired)
		d.Acquired = &p
	}
	if f.FailedAt.IsValid() {
		p := placeOf(pass.Fset, f.FailedAt)
		d.Failing = &Call{Place: p, Column: pass.Fset.Position(f.FailedAt).Column, Name: f.Failed}
	}
	for _, s := range f.Trace {
		p := placeOf(pass.Fset, s.Pos)
		d.Trace = append(d.Trace, DetailStep{File: p.File, Line: p.Line, Text: s.Text})
	}
	for _, fix := range f.Fixes {
		df := DetailFix{Message: fix.Message}
		for _, e := range fix.Edits {
			df.Edits = append(df.Edits, DetailEdit(e))
		}
		d.Fixes = append(d.Fixes, df)
	}
	return d
}

func placeOf(fset *token.FileSet, pos token.Pos) Place {
	p := fset.Position(pos)
	return Place{File: p.Filename, Line: p.Line}
}

func (d Detail) encode() string {
	data, err := json.Marshal(d)
	if err != nil {
		return detailPrefix + "{}" // strings and ints only: cannot happen
	}
	return detailPrefix + string(data)
}

// ParseDetail reads the detail out of the message of a related position. It
// reports false for any other message.
func ParseDetail(message string) (Detail, bool, error) {
	text, ok := strings.CutPrefix(message, detailPrefix)
	if !ok {
		return Detail{}, false, nil
	}
	var d Detail
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return Detail{}, false, fmt.Errorf("bad detail of a finding: %w", err)
	}
	return d, true, nil
}
