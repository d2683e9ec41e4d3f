// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package corpus holds the acceptance tests of the leak rules: a matrix of
// lifetime patterns times acquisition idioms, small rebuilds of real bugs, and
// correct code that a naive checker would flag.
//
// The Go sources are in testdata/ at the root of the repository, laid out as a
// GOPATH so that the stand-ins for the modelled libraries have their real
// import paths. The matrix is scored by function: a pattern counts as found when
// one of the rules, or of those that its file names, reports inside the wrong
// twin. A bug counts as found when the rule that its want comment names reports
// that very line. Words are tested beside each pass.
package corpus
