// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package balance spreads work over several devices by the memory that they
// have free.
//
// Equal parts are not balance: the device that gathers results, or that shows a
// screen, has less room. [Balancer.Pick] and [Balancer.Alloc] choose the device
// with most of it, [Balancer.Split] cuts a batch in proportion, and [Imbalance]
// says how uneven things are.
package balance
