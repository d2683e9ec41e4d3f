// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package directive is the engine as an analyzer of its own, for Bazel's nogo.
//
// The engine reports no rule, but it does report a malformed //gpumem:
// directive. All other drivers run it by itself. nogo runs what is listed in
// its deps, takes a package with a variable Analyzer for that, and drops what
// merely required analyzers report; nor could the engine be listed, since
// Bazel keeps internal packages to their own repository.
package directive

import "github.com/gpumemlint/gpumemlint/internal/ownership"

// Analyzer reports malformed //gpumem: directives. Its name is ownership, and
// so is the key of the flags in nogo's configuration.
var Analyzer = ownership.Analyzer
