// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"strings"
)

// endsProcess: what is alive when main or an initialiser ends, ends with the
// process or lives as long as it by design.
func (e *engine) endsProcess(v *Verdict, sr *siteResult, o outcome) {
	fn := sr.root
	if fn.Parent() != nil || o.fn != nil && o.fn != fn {
		return // a literal in main is no exit of main
	}
	if isMain(fn) || fn.Name() == "TestMain" || fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#") {
		v.ends = true
	}
}

// processLeaks keeps those exits on which a process-wide library is left open
// against the package's own habit. A function that closes it on some path owes
// it on failures; one that never does is wrong only where another function of
// the package opens and closes it per call. Otherwise somebody else closes it.
func (e *engine) processLeaks(sr *siteResult, leaks []outcome) []outcome {
	class := sr.site.acq.class.Name
	if e.pass.Pkg.Name() == "main" {
		return nil // the process ends with it
	}
	for _, o := range sr.outs {
		if o.kind == Settled {
			var failing []outcome
			for _, l := range leaks {
				if l.err && !l.ok {
					failing = append(failing, l)
				}
			}
			return failing
		}
	}
	name := strings.ToLower(sr.root.Name())
	for _, w := range beginWords {
		if strings.HasPrefix(name, w) {
			return nil // opens on somebody's behalf
		}
	}
	for _, fn := range e.funcs {
		if fn.Parent() != nil || fn.Name() == "main" || fn.Name() == "TestMain" || !e.releasesProcess(fn, class) {
			continue
		}
		for _, st := range e.sites(fn) {
			if st.acq.class.Name == class {
				return leaks
			}
		}
	}
	return nil
}
