// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package dcgm stands for a monitoring library that gives its clean-up back as
// a function.
package dcgm

// Watch starts watching a set of fields.
//
//gpumem:class dcgmt.watch noun="field watch" verb=stopped mem=handle
//gpumem:cleanup dcgmt.watch result0
func Watch(fields ...int) (func(), error) { return nil, nil }

// Health starts health checks.
//
//gpumem:class dcgmt.health noun="health watch" verb=cancelled mem=handle
//gpumem:cleanup dcgmt.health result0
func Health() (cancel func()) { return nil }
