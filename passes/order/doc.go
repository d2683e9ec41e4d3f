// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package order reports GM505: check for parents that go before their children, and for contexts of another thread.
//
// A context, an environment or a model is released while what was made from it
// is still there; what is released or used after that runs into freed memory,
// or fails.
//
//	model, _ := llama.ModelLoadFromFile(path, params)
//	ctx, _ := llama.InitFromModel(model, cparams)
//	defer llama.Free(ctx)
//	llama.ModelFree(model) // model is freed while the model context ... is still there (GM505)
//
// The same holds for deferred calls, which run last to first, for the release
// method of a type that holds both, and for what stands behind everything of a
// library: the environment of ONNX Runtime, the session of NVML, the current
// CUDA context.
//
// Where a library binds a context or a device to the operating system's thread,
// a goroutine that does not bind it itself runs with whatever its thread has.
//
// # Not reported
//
// Orders that the library allows, as where children hold a reference. Parents
// that are released while the child is never touched again: that is GM102.
// Handles in containers, and two handles of which it cannot be told whether
// one was made from the other.
package order
