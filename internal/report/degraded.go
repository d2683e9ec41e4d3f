// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// CategoryDirective marks a diagnostic about a malformed //gpumem: directive,
// which is no finding either.
const CategoryDirective = "directive"

// CategoryDegraded marks a diagnostic that is no finding, but says that a
// function was analysed with less than full precision.
const CategoryDegraded = "degraded"

// Degraded tells the stand-alone driver that function was not followed in
// full, and why, as in "more than 20000 instructions". Other drivers have no
// place for such a note, so without the flag detail it does nothing.
func Degraded(pass *analysis.Pass, pos token.Pos, function, reason string) {
	if !settings.Load().Detail {
		return // only the stand-alone driver can count these
	}
	d := Detail{Pass: pass.Analyzer.Name, Function: function}
	pass.Report(analysis.Diagnostic{
		Pos:      pos,
		Category: CategoryDegraded,
		Message:  reason,
		Related:  []analysis.RelatedInformation{{Pos: pos, Message: d.encode()}},
	})
}
