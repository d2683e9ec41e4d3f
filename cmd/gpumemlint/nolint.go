// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/govet"
	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/report"
)

// ruleNolint stands in the place of a rule's ID for what is wrong with a
// //nolint directive.
const ruleNolint = "nolint"

// nolints are the //nolint directives of a run and what they silence. A
// package and its test variant tell of the same ones.
type nolints struct {
	list  []directive
	rules map[report.Place]map[string]bool // silenced there, in lower case
}

type directive struct {
	report.Nolint
	pkg string
}

// nolintFindings names the directives that silence nothing, or that say not
// why.
func nolintFindings(paths output.Paths, diags []govet.Diagnostic) ([]output.Finding, error) {
	n := nolints{rules: map[report.Place]map[string]bool{}}
	for _, d := range diags {
		if d.Category != report.CategoryNolint && d.Category != report.CategorySilenced {
			continue // a finding, or about one
		}
		detail, err := detailOf(d)
		if err != nil {
			return nil, err
		}
		if detail.Nolint == nil {
			return nil, fmt.Errorf("%s: a diagnostic on //nolint without its detail; please report it", paths.Rel(d.Pos.File))
		}
		n.add(d, *detail.Nolint)
	}
	return n.findings(paths), nil
}

func (n *nolints) add(d govet.Diagnostic, detail report.Nolint) {
	if d.Category == report.CategoryNolint {
		n.list = append(n.list, directive{detail, d.Package})
		return
	}
	for _, at := range detail.At {
		if n.rules[at] == nil {
			n.rules[at] = map[string]bool{}
		}
		n.rules[at][strings.ToLower(detail.Rule)] = true
	}
}

// findings are what is wrong with the directives. What a directive silences counts whatever its tier and rule, so that another
// choice of these on the command line makes no directive useless.
func (n *nolints) findings(paths output.Paths) []output.Finding {
	var list []output.Finding
	for _, d := range n.list {
		at := d.At[0]
		silenced := n.rules[at]
		var idle []string
		for _, name := range d.Names {
			used := len(silenced) > 0 // by the name of the tool: any rule
			if !strings.EqualFold(name, report.LinterName) {
				used = silenced[name]
				name = strings.ToUpper(name)
			}
			if !used {
				idle = append(idle, name)
			}
		}
		slices.Sort(idle)
		message := ""
		switch {
		case len(idle) > 0:
			message = fmt.Sprintf("//nolint:%s silences nothing here: remove it (%s)", strings.Join(idle, ","), ruleNolint)
		case d.Reason == "":
			message = fmt.Sprintf("//nolint gives no reason: add one behind a second // (%s)", ruleNolint)
		default:
			continue
		}
		list = append(list, output.Finding{
			Rule: ruleNolint, Pass: ruleNolint, Tier: report.Definite.String(), Package: d.pkg,
			File: paths.Rel(at.File), Path: at.File, Line: at.Line, Column: d.Column, Message: message,
		})
	}
	return list
}
