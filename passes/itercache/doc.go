// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package itercache reports GM203: check for containers and caches that grow with every iteration, request or step.
//
// Unlike GM201 it is enough that the container never gets smaller while it is in
// use; that its owner empties it in the end is too late. There must be a reason
// in sight why it grows without end: an endless loop, a request handler, a method
// that is a step of the work, or a key that is different each time.
//
//	func (m *model) Forward(x *ts.Tensor) *ts.Tensor {
//		y := m.net.Forward(x)
//		m.cache = append(m.cache, y) // tensor is added to m.cache with every call of Forward and stays there: keep a bounded number, and have the oldest dropped (GM203)
//		return y
//	}
//
// It also reports a compile cache whose bound is taken off: exec.SetMaxCache(-1).
//
// # Not reported
//
// Keys from an enumeration, a constant set, a table or the configuration, and
// rounded ones; bounded containers; caches that evict; one element for each
// size or name that comes up, if the owner releases them. Containers of another
// package whose object was not made here, or goes elsewhere.
package itercache
