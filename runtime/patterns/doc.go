// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package patterns has no code of its own: its examples show, one by one, what
// people do to keep GPU memory in check, and what comes of it. docs/patterns.md
// is the guide to them, and its snippets are these examples' bodies.
//
// All of them run on a simulated device. What they print is compared each time
// the tests run, so what the guide claims is what happens.
package patterns
