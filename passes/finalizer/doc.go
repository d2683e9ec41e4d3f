// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package finalizer reports GM402: check for finalizers and cleanups that never run, run too early, or free what was freed.
//
// A cleanup whose function or argument leads back to the object keeps it alive
// and never runs. A finalizer that stays armed after an explicit release frees a
// second time. One on a variable instead of its object runs while the object is
// in use, as does one on an object whose last use is the call of C that works
// with its handle.
//
//	v := &value{p: p}
//	runtime.AddCleanup(v, func(struct{}) { v.Close() }, struct{}{}) // cleanup of v captures v: it would never run, and AddCleanup panics since Go 1.26: pass what it frees as the argument (GM402)
//
// It is reported at the call that sets the finalizer, at the release that leaves
// it armed, or at the call of C.
//
// # Not reported
//
// Finalizers that look at a field which the release clears, or at a flag.
// Receivers and parameters without KeepAlive, unless the package keeps such
// objects alive elsewhere: the caller may hold them.
package finalizer
