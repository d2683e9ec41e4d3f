// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package native holds correct code around C memory that a naive leak checker
// flags, one shape a file. No rule may report anything here.
package native

import "errors"

var errFailed = errors.New("failed")
