// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package retain reports GM201: check for resources that a long-lived container keeps for ever.
//
// A slice, map, list or channel in a package variable, in a field or in a
// captured variable gets a resource whenever somebody calls, and no code
// anywhere takes one out, releases them or limits their number.
//
//	var seen []*ort.Tensor[float32]
//
//	func remember(t *ort.Tensor[float32]) {
//		seen = append(seen, t) // tensor is kept in seen, from which nothing ever takes it: bound it, or have what it drops destroyed (GM201)
//	}
//
// It is reported at the insertion.
//
// # Not reported
//
// Containers with a bound (constant or enumerated keys, a length check, once
// only), weak pointers, containers that are filled while an object or the program
// is set up, elements that whoever puts them in releases. What a release method
// empties is an ordinary owner, unless it grows with every step: that is GM203.
// A variable or field that other packages can reach is shown with the tier
// possible, since they may take out what nobody here does; in a main package, and
// what it imports does not either, it is likely.
package retain
