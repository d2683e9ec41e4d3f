// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package destructor reports GM401: check for release methods that skip a field, forget one, or cannot be called twice.
//
// A Close that returns at the first error leaves the other fields behind. One
// that releases again when it is called again crashes, and is called again
// sooner or later: by a defer after an explicit call, by two owners.
//
//	func (m *model) Close() error {
//		if err := m.session.Destroy(); err != nil {
//			return err // Close does not release m.input when m.session.Destroy fails: go on and join the errors (GM401)
//		}
//		return m.input.Destroy()
//	}
//
// It is reported at the return, or at the call that is unsafe the second time.
//
// # Not reported
//
// Early returns that ask whether the object is open at all, or owns the field. A
// second release that the library documents as harmless. Plain wrappers that
// show no sign of meaning to be closed twice are only "possible".
package destructor
