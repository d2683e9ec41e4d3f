// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package native rebuilds real leaks of Go programs that call C themselves,
// one file each, as package pure does for those that use a binding. native.h
// stands for the C libraries and models.gpumem says what its functions do.
package native

import "errors"

var errFailed = errors.New("failed")
