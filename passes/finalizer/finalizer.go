// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package finalizer

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for finalizers and cleanups that never run, run too early, or free what was freed"

// Analyzer reports GM402.
var Analyzer = verdict.NewAnalyzer("finalizer", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM402", message, ownership.FinalNever, ownership.FinalThrows, ownership.FinalEarly,
		ownership.FinalArmed, ownership.FinalDead, ownership.FinalMismatch)
}

// message words one verdict; v.Callee is "finalizer" or "cleanup", v.Name the
// object.
func message(v *verdict.Line) string {
	switch v.Kind {
	case ownership.FinalNever:
		switch {
		case v.Failed == "captures" && v.Callee == "cleanup":
			return fmt.Sprintf("cleanup of %s captures %s: it would never run, and AddCleanup panics since Go 1.26: pass what it frees as the argument", v.Name, v.Name)
		case v.Failed == "captures":
			return fmt.Sprintf("finalizer of %s captures %s, which keeps it alive, and never runs: use the finalizer's own argument", v.Name, v.Name)
		case v.Callee == "cleanup" && v.Failed != "is a package variable, which lives as long as the program":
			return fmt.Sprintf("cleanup of %s %s %s, and never runs: pass only the handle", v.Name, v.Failed, v.Name)
		}
		return fmt.Sprintf("%s of %s never runs: it %s", v.Callee, v.Name, v.Failed)
	case ownership.FinalThrows:
		return fmt.Sprintf("runtime.SetFinalizer ends the program here: %s", v.Failed)
	case ownership.FinalEarly:
		if v.Nil {
			return fmt.Sprintf("%s is set on the variable %s, not on what it points at, and runs while that is in use: drop the &", v.Callee, v.Name)
		}
		return fmt.Sprintf("%s is set on the local variable %s and runs while its copy is in use: return a pointer", v.Callee, v.Name)
	case ownership.FinalDead:
		return fmt.Sprintf("%s is not used after this call of %s, and its finalizer may free the handle meanwhile: call runtime.KeepAlive(%s) behind it", v.Name, v.Failed, v.Name)
	case ownership.FinalMismatch:
		return fmt.Sprintf("%s is given to the finalizer of %s, which frees %s: release it the way it was acquired", v.What(), v.Name, v.Failed)
	}
	return armed(v)
}

// armed words an explicit release that leaves the finalizer as it is.
func armed(v *verdict.Line) string {
	if v.Callee == "library's finalizer" {
		return fmt.Sprintf("%s is %s here and once more by the library's finalizer: take that off with runtime.SetFinalizer(x, nil) first", v.Name, v.Class.Verb)
	}
	advice := "take it off with runtime.SetFinalizer(x, nil), or clear the field"
	if v.Callee == "cleanup" {
		advice = "keep the Cleanup and call Stop"
	}
	return fmt.Sprintf("%s is released here and once more by its %s: %s", v.Name, v.Callee, advice)
}
