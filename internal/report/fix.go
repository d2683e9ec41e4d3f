// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// A Fix is a change of the user's own files that mends a finding.
type Fix struct {
	Message string // what it does, lower case, without full stop
	Edits   []Edit // in order, not overlapping
}

// An Edit replaces the bytes from Start up to End of a file as it is on disk.
type Edit struct {
	File  string
	Start int
	End   int
	New   string
}

// Collector is the key under which an analysis of changed code finds, in
// Pass.ResultOf, a func(Finding) that takes all findings, whatever the user
// wants to see, in place of the driver. No driver ever runs it.
var Collector = &analysis.Analyzer{Name: "collector", Doc: "take findings in place of the driver"}

// collector returns where a pass's findings go, or nil for the driver.
func collector(pass *analysis.Pass) func(Finding) {
	take, _ := pass.ResultOf[Collector].(func(Finding))
	return take
}

// suggested turns fixes into the form of drivers. A fix of a file that the
// driver does not know is left out: the files of a package that uses cgo are
// cgo's output, and an edit of those would be lost with them.
func suggested(pass *analysis.Pass, fixes []Fix) []analysis.SuggestedFix {
	files := map[string]*token.File{}
	for _, f := range pass.Files {
		if tf := pass.Fset.File(f.FileStart); tf != nil {
			files[tf.Name()] = tf
		}
	}
	var list []analysis.SuggestedFix
	for _, fix := range fixes {
		sf := analysis.SuggestedFix{Message: fix.Message}
		for _, e := range fix.Edits {
			tf := files[e.File]
			if tf == nil || e.End > tf.Size() {
				sf.TextEdits = nil
				break
			}
			sf.TextEdits = append(sf.TextEdits, analysis.TextEdit{Pos: tf.Pos(e.Start), End: tf.Pos(e.End), NewText: []byte(e.New)})
		}
		if len(sf.TextEdits) > 0 {
			list = append(list, sf)
		}
	}
	return list
}
