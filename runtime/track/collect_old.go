// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !go1.24

package track

import "unsafe"

// watch holds the handle: before Go 1.24 there is no way to learn of its end
// that does not take the library's only finalizer away. Such an instance is
// reported with its backstop, so that nobody takes it for a certain leak.
func (l *ledger) watch(inst *instance, ptr unsafe.Pointer) { inst.hold = ptr }
