// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// parseRules reads a list of rule IDs.
func parseRules(list string) ([]string, error) { return report.ParseRules(list) }

// modelled reports whether there are models of a package.
func modelled(path string) bool { return rules.Default().Package(path) }
