// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

//go:build go1.24

package track

import (
	"runtime"
	"unsafe"
)

// watch learns when Go collects a handle that a finalizer frees. Holding it
// would keep that from happening.
//
// Only handles of such classes come here: a library that leaves their end to
// the collector has made them on Go's heap. For a pointer into C's memory,
// AddCleanup would end the process.
func (l *ledger) watch(inst *instance, ptr unsafe.Pointer) {
	runtime.AddCleanup((*byte)(ptr), func(inst *instance) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.end(inst, collected)
		l.forget(inst)
	}, inst)
}
