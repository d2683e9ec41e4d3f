// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package output

import (
	"path"
	"slices"
)

// Rebase returns a copy of the report in which each file that inside accepts
// is named from a folder above: prefix is the way from there, with slashes.
// Hosts of code name files from the root of the repository, of which a module
// may be a part only.
func (r *Report) Rebase(prefix string, inside func(file string) bool) *Report {
	if prefix == "" || prefix == "." {
		return r // the module is the repository
	}
	rel := func(file string) string {
		if !inside(file) {
			return file // of another module: named from the module cache
		}
		return path.Join(prefix, file)
	}
	moved := *r
	moved.Findings = slices.Clone(r.Findings)
	for i := range moved.Findings {
		f := &moved.Findings[i]
		f.File = rel(f.File)
		if f.Acquired != nil {
			f.Acquired = &Place{File: rel(f.Acquired.File), Line: f.Acquired.Line}
		}
		f.Trace = slices.Clone(f.Trace)
		for j := range f.Trace {
			f.Trace[j].File = rel(f.Trace[j].File)
		}
		f.Fixes = slices.Clone(f.Fixes)
		for j := range f.Fixes {
			f.Fixes[j].Edits = slices.Clone(f.Fixes[j].Edits)
			for k := range f.Fixes[j].Edits {
				f.Fixes[j].Edits[k].File = rel(f.Fixes[j].Edits[k].File)
			}
		}
	}
	return &moved
}
