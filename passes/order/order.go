// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package order

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for parents that go before their children, and for contexts of another thread"

// Analyzer reports GM505.
var Analyzer = verdict.NewAnalyzer("order", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM505", message, ownership.ParentFirst, ownership.OtherThread, ownership.BeforeCurrent)
}

func message(v *verdict.Line) string {
	switch v.Kind {
	case ownership.OtherThread:
		if v.Nil {
			return fmt.Sprintf("%s binds the thread, and the goroutine may be on another one at %s (line %d): call runtime.LockOSThread first",
				v.Callee, v.Other, v.LineOf(v.OtherAt))
		}
		return fmt.Sprintf("goroutine calls %s (line %d) on a thread of its own, for which %s (line %d) has set nothing: lock and bind the thread there",
			v.Other, v.LineOf(v.OtherAt), v.Callee, v.LineOf(v.Acquired))
	case ownership.BeforeCurrent:
		return fmt.Sprintf("%s works on handles of a context that becomes current only at %s (line %d): bind it first",
			v.Other, v.Callee, v.LineOf(v.Acquired))
	}
	text := fmt.Sprintf("%s is %s ", v.Name, v.Failed)
	switch {
	case v.Nil:
		text += fmt.Sprintf("before %s (line %d), which needs it: release it last", v.Other, v.LineOf(v.OtherAt))
	case v.Callee != "":
		text += fmt.Sprintf("while the %s, which needs it, is still there: release that first", v.What())
	default:
		text += fmt.Sprintf("before the %s (line %d), which needs it: release that first", v.Class.Noun, v.LineOf(v.OtherAt))
	}
	if v.Always {
		return "deferred calls run last to first: " + text
	}
	return text
}
