// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package outlive reports GM303: check for views, borrowed parts and asynchronous operations that outlive what they need.
//
// A slice over native memory, a borrowed element, an object that refers to a
// buffer, or an operation that still runs on a stream needs its source to stay,
// and the source is released first.
//
//	defer img.Close()
//	return img.DataPtrUint8() // what Mat.DataPtrUint8 gave out is returned, but ... (GM303)
//
// # Not reported
//
// Views with a header of their own, which share storage by reference count.
// Copies made before the release. Operations whose stream, or whose device, is
// waited for before. A function without a model between the operation and the
// release: it may wait.
package outlive
