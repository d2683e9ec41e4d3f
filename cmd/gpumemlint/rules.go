// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// parseRules reads a list of rule IDs and refuses those that no pass reports:
// a run that asks for nothing else would look clean.
func parseRules(list string) ([]string, error) {
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue // the next step words it
		}
		rule, ok := rules.RuleByID(item)
		switch {
		case !ok:
			return nil, fmt.Errorf("unknown rule %s; did you mean %s? gpumemlint explain lists them all", item, nearest(item))
		case rule.Planned:
			return nil, fmt.Errorf("%s is planned and nothing reports it yet; gpumemlint explain lists what there is", rule.ID)
		case !strings.EqualFold(rule.ID, item):
			return nil, fmt.Errorf("%s is a pass and not a rule ID; did you mean %s?", item, rule.ID)
		}
	}
	return report.ParseRules(list)
}

// nearest returns the ID that a mistyped one is most like: as many characters
// in common as possible, then the nearest number.
func nearest(id string) string {
	id = strings.ToUpper(id)
	best := slices.MinFunc(rules.Catalog(), func(a, b rules.Rule) int {
		return cmp.Or(
			cmp.Compare(differences(a.ID, id), differences(b.ID, id)),
			cmp.Compare(gap(a.ID, id), gap(b.ID, id)),
		)
	})
	return best.ID
}

func differences(a, b string) int {
	n := max(len(a), len(b)) - min(len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

func gap(a, b string) int {
	x, errX := strconv.Atoi(strings.TrimLeft(a, "GM"))
	y, errY := strconv.Atoi(strings.TrimLeft(b, "GM"))
	if errX != nil || errY != nil {
		return 0 // no number: the letters have decided
	}
	return max(x-y, y-x)
}
