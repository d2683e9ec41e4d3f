// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package programs holds correct code of the size and style of working
// programs, one library a file. No rule may report anything here.
package programs
