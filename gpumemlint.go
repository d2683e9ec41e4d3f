// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gpumemlint finds GPU memory that Go code does not give back.
//
// It is the one list of analyzers that every driver uses: the gpumemlint
// command, go vet -vettool, the golangci-lint plugin and Bazel's nogo. What
// they report is described in docs/rules; how to run them, in docs/drivers.md.
package gpumemlint

import (
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/passes/cacheflush"
	"github.com/gpumemlint/gpumemlint/passes/churn"
	"github.com/gpumemlint/gpumemlint/passes/deferarg"
	"github.com/gpumemlint/gpumemlint/passes/destructor"
	"github.com/gpumemlint/gpumemlint/passes/discard"
	"github.com/gpumemlint/gpumemlint/passes/doublefree"
	"github.com/gpumemlint/gpumemlint/passes/errpath"
	"github.com/gpumemlint/gpumemlint/passes/evict"
	"github.com/gpumemlint/gpumemlint/passes/finalizer"
	"github.com/gpumemlint/gpumemlint/passes/gcreliance"
	"github.com/gpumemlint/gpumemlint/passes/goretain"
	"github.com/gpumemlint/gpumemlint/passes/gradaccum"
	"github.com/gpumemlint/gpumemlint/passes/itercache"
	"github.com/gpumemlint/gpumemlint/passes/leak"
	"github.com/gpumemlint/gpumemlint/passes/loopdefer"
	"github.com/gpumemlint/gpumemlint/passes/nograd"
	"github.com/gpumemlint/gpumemlint/passes/order"
	"github.com/gpumemlint/gpumemlint/passes/outlive"
	"github.com/gpumemlint/gpumemlint/passes/overwrite"
	"github.com/gpumemlint/gpumemlint/passes/ownercopy"
	"github.com/gpumemlint/gpumemlint/passes/retain"
	"github.com/gpumemlint/gpumemlint/passes/usefreed"
	"github.com/gpumemlint/gpumemlint/passes/viewpin"
)

// Analyzers returns the engine and all passes, in a fixed order. The slice is
// the caller's; the analyzers are shared by all callers.
//
// The engine (ownership) reports nothing itself. It is part of the list so
// that drivers which set flags only on listed analyzers can reach its own.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		ownership.Analyzer,
		errpath.Analyzer,
		leak.Analyzer,
		discard.Analyzer,
		overwrite.Analyzer,
		loopdefer.Analyzer,
		deferarg.Analyzer,
		nograd.Analyzer,
		gradaccum.Analyzer,
		cacheflush.Analyzer,
		churn.Analyzer,
		order.Analyzer,
		usefreed.Analyzer,
		doublefree.Analyzer,
		outlive.Analyzer,
		destructor.Analyzer,
		finalizer.Analyzer,
		ownercopy.Analyzer,
		gcreliance.Analyzer,
		retain.Analyzer,
		evict.Analyzer,
		itercache.Analyzer,
		goretain.Analyzer,
		viewpin.Analyzer,
	}
}
