// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package destructor

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/internal/verdict"
)

// Doc is the first paragraph of the package comment.
const Doc = "check for release methods that skip a field, forget one, or cannot be called twice"

// Analyzer reports GM401.
var Analyzer = verdict.NewAnalyzer("destructor", Doc, run)

func run(pass *analysis.Pass) (any, error) {
	return verdict.Each(pass, "GM401", message, ownership.CloseSkips, ownership.CloseForgets, ownership.CloseTwice,
		ownership.ClosePanics, ownership.CloseCopy, ownership.CloseGuard)
}

// message words one verdict; v.Callee is the release method, v.Name the field.
func message(v *verdict.Line) string {
	switch v.Kind {
	case ownership.CloseSkips:
		if v.Always {
			return fmt.Sprintf("%s leaves the rest of %s behind when %s fails: go on and join the errors", v.Callee, v.Name, v.Failed)
		}
		return fmt.Sprintf("%s does not release %s%s when %s fails: go on and join the errors", v.Callee, v.Name, more(v), v.Failed)
	case ownership.CloseForgets:
		return fmt.Sprintf("%s does not release %s, which this package fills: release it there too", v.Callee, v.Name)
	case ownership.ClosePanics:
		return fmt.Sprintf("a second %s panics: %s is nil after the first and is used without a test", v.Callee, v.Name)
	case ownership.CloseCopy:
		return fmt.Sprintf("%s clears only its own copy of %s: with a value receiver a second call releases it again", v.Callee, v.Name)
	case ownership.CloseGuard:
		return fmt.Sprintf("%s releases %s under a test of %s: test the field itself", v.Callee, v.Name, v.Failed)
	}
	return fmt.Sprintf("a second %s releases %s again: clear the field or keep a flag", v.Callee, v.Name)
}

// more counts the further fields that the same failure leaves behind.
func more(v *verdict.Line) string {
	switch v.Others {
	case 0:
		return ""
	case 1:
		return " (and 1 more field)"
	}
	return fmt.Sprintf(" (and %d more fields)", v.Others)
}
