// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"
	"testing"
)

// TestPatternsReached demands that no pattern stands behind one that matches
// whatever it matches: the first one counts, so it would say nothing.
func TestPatternsReached(t *testing.T) {
	n := 0
	for _, f := range Default().Files() {
		var before []*Func
		for _, m := range f.Funcs {
			if m.Match == nil {
				continue
			}
			n++
			for _, b := range before {
				if b.Match.String() == "^(?:.*)$" && (b.Recv.Type == m.Recv.Type || baseType(b.Recv.Type) == "_" && m.Recv.Type != "") && asks(m, b) {
					t.Errorf("%s: pattern %s on %q stands behind %s: put it in front", m.Key, m.Match, m.Recv.Type, b.Match)
				}
			}
			before = append(before, m)
		}
	}
	if n < 20 {
		t.Errorf("only %d patterns, expected at least 20", n)
	}
}

// asks reports whether m asks for all that b asks for.
func asks(m, b *Func) bool {
	for _, p := range b.Params {
		if !slices.ContainsFunc(m.Params, func(q Param) bool { return q.Type == p.Type && (q.Name == p.Name || p.Name == "_" || p.Name == "") }) {
			return false
		}
	}
	i := 0
	for _, q := range m.Results {
		if i < len(b.Results) && b.Results[i].Type == q.Type {
			i++
		}
	}
	return i == len(b.Results)
}
