// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package simdrv simulates a GPU's memory, so that everything built on gpumem
// can be tested without one. It has a capacity and real addresses that
// fragment, streams and events on a virtual clock, and a latency model.
//
// It finds what a real device silently corrupts: memory that passes from one
// stream to another without a wait (see [Device.Races]). And it fails on
// demand, at the n-th call of a kind (see [Device.FailNth]).
//
// Time is virtual: nothing here sleeps, and runs are reproducible.
package simdrv
