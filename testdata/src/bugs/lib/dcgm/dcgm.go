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

// Group is a set of GPUs, known by number.
//
//gpumem:class dcgmt.group noun="GPU group" verb=destroyed mem=handle
//gpumem:resource dcgmt.group release=DestroyGroup owned
type Group struct{ h uintptr }

func NewGroup(name string) (Group, error) { return Group{}, nil }

//gpumem:release dcgmt.group g
func DestroyGroup(g Group) error { return nil }

//gpumem:use
func WatchPids(g Group) error { return nil }

//gpumem:use
func ProcessInfo(g Group, pid int) (int, error) { return 0, nil }
