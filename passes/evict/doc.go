// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package evict reports GM202: check for resources that are taken out of a container and not released.
//
// An element is deleted from a map, cut off a slice, removed from a list,
// received and dropped, or replaced, or the whole container is cleared, and on some path
// nothing leads to the element any more.
//
//	func (c *cache) drop(key string) {
//		delete(c.mats, key) // Mat is dropped from c.mats by delete without being closed: call Close on it first (GM202)
//	}
//
// The container must own: somewhere its elements are released, or what was put in
// was acquired on the spot and given to nobody else.
//
// A call into another package's container is such a removal as well, and so is an
// insertion into a bounded one that nobody has told what to do with what it evicts:
//
//	s.cache, err = lru.New[string, *ort.Tensor[float32]](128)
//	...
//	s.cache.Add(id, t) // tensor in s.cache is pushed out by Add once there is no room, without being destroyed: give it a func that does it (GM202)
//
// # Not reported
//
// Elements that were released or taken out before, or are returned. Removals in a
// function that is handed the element as well: it only takes it off a list, and
// so does one whose caller releases. Containers of which another one holds the
// same elements. Objects of another package that this one did not make, or hands
// on: whoever has them may release.
package evict
