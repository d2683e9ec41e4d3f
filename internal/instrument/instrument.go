// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package instrument rewrites a program's sources so that its tests keep a
// ledger of GPU memory (runtime/track), without touching a file of the user's.
//
// Everything goes into a temporary folder: rewritten files behind -overlay, and
// an alternate go.mod or go.work where a library lies in the module cache.
// Modelled Go functions tell the ledger at their definitions, raw cgo at the
// call sites; tests say when they begin and end, loops count, and the calls
// that findings name can be made to fail. Lines stay what they were.
package instrument

import "github.com/gpumemlint/gpumemlint/rules"

// A Plan says what to instrument.
type Plan struct {
	Dir        string   // directory that patterns and relative names start from; empty for the current one
	Env        []string // environment of the go command; nil for the current one
	BuildFlags []string // flags of the go command that decide what is built: -tags=x, -race, -mod=vendor
	Patterns   []string // the packages to test
	Models     *rules.Set
	Injections []Injection
	Probes     []Probe
}

// An Injection names a call that a run can make fail.
type Injection struct {
	ID   string // chosen by the caller, unique in the plan
	File string // file of the call; absolute, or relative to Plan.Dir
	Line int    // line where the call begins, or where its "(" stands
	// Column, in bytes from 1, chooses among several calls of the line: the one
	// whose text spans it, the innermost of these. 0 takes the call whose last result can
	// say that it failed; if there are several, that which is executed last.
	Column int
	// Callee, if not empty, must be the name of the function called, without
	// package or receiver: NewSession, cudaMalloc.
	Callee string
}

// A Package is one that the patterns match.
type Package struct {
	Path    string
	Dir     string
	HasTest bool   // it has tests (of either kind)
	Problem string // one line: why it cannot be proved; empty if it can
}

// NoTests is the Problem of a package that is fine but for its lack of tests.
const NoTests = "has no tests"

// A Note is something that was left out, in one line for the user.
type Note struct {
	Package string
	Message string
}
