// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package tools is the module of the programs that look at gpumemlint from
// outside: realworld runs it over real modules, bench measures it, site makes
// HTML of the documentation. They have a go.mod of their own, so that nothing
// they need reaches the users of the linter. They build gpumemlint from the
// folder above and run it as users do.
package tools
