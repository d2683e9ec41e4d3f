// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest

import "github.com/gpumemlint/gpumemlint/runtime/gpumem"

// The rules of the linter that a leak in a test can be an instance of. The
// linter finds many of them without a test; docs/rules has a page for each.
const (
	ruleErrPath    = "GM101" // not released on an error path
	ruleLeak       = "GM102" // never released on some path
	ruleIterCache  = "GM203" // grows with every step
	ruleViewPin    = "GM205" // a small view keeps a large buffer
	ruleGCReliance = "GM404" // left to the garbage collector
)

// ruleOf says which rule of the linter is about such a leak. What a test shows
// is that something stayed alive, not why: where nothing points to a narrower
// rule it is the general one.
func (c *config) ruleOf(l *Leak) string {
	switch {
	case l.GCFreed:
		return ruleGCReliance
	case l.Kind == gpumem.KindView && l.Bytes > l.Requested:
		return ruleViewPin
	case len(c.failOnce) > 0 || c.failFrom > 0:
		return ruleErrPath // the test made allocations fail to see just that
	case l.Count > 1 && l.step != l.lastStep:
		return ruleIterCache
	}
	return ruleLeak
}
