// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package viewpin reports GM205: check for small views that keep a large parent alive.
//
// A view of one row shares the storage of its batch. Where it is kept for long, the
// whole batch is.
//
//	row := batch.Row(0) // Mat from Mat.Row is kept in h.rows and with it the whole parent: copy the part and release the view (GM205)
//	h.rows = append(h.rows, row)
//
// # Not reported
//
// Views of all of the parent, under another shape. Views whose parent is kept by the
// same object. A view that is returned, or stored in a field, while the caller has the
// parent: shown with the tier possible.
package viewpin
