// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package nogo runs analyzers the way that Bazel's Go rules do, without Bazel.
//
// The program that does the analysis is the real one: Build makes it from the
// sources of rules_go, which come from the module proxy and are never copied
// into this repository. What Bazel adds is played here: one process a package,
// facts in files, none for the standard library, and a root folder that holds
// the declared inputs of the action and nothing else.
package nogo
