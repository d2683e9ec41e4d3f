// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package gpumemtest_test

const raceEnabled = true
