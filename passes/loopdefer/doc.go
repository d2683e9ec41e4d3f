// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package loopdefer reports GM105: check for releases that are deferred inside a loop.
//
// A deferred call runs when the function returns, not when the iteration ends.
// A loop that runs long piles up everything that its defers are to release.
//
//	for _, req := range requests {
//		buf, err := dev.New(req.Size)
//		if err != nil {
//			return err
//		}
//		defer buf.Free() // device buffer from dev.New (line 2) is freed only when the function returns, ... (GM105)
//		buf.Fill(0)
//	}
//
// It is reported at the defer. Release at the end of the body, or move the body
// into a function.
//
// # Not reported
//
// Loops with few iterations by their form, defers that are followed by a return
// or break, and resources that something outside the iteration still uses.
package loopdefer
