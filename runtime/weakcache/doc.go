// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package weakcache caches what is on a device, within a budget of bytes, and
// closes what it drops.
//
// A value is used under a [Lease]. Up to the budget the cache keeps values that
// nobody uses, the last used ones; beyond it a value lives as long as its leases,
// and is found again meanwhile, since the cache then holds it by a weak pointer.
// It is closed with the last lease. Where the device runs out of memory, the
// cache gives up what nobody uses: see [Cache.Attach].
//
// A dictionary with weak keys, which is often written for this, does nothing of
// the kind: it holds its values as strongly as any other, and a weak value alone
// leaves device memory to the garbage collector, which does not see it.
package weakcache
