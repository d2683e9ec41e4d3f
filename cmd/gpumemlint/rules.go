// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/gpumemlint/gpumemlint/internal/report"

// parseRules reads a list of rule IDs.
func parseRules(list string) ([]string, error) { return report.ParseRules(list) }
