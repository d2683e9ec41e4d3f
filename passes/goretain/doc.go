// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package goretain reports GM204: check for goroutines and closures that outlive their work and keep a resource.
//
//	ch := make(chan result)
//	go func() { ch <- run(t) }() // goroutine holds tensor t and blocks for ever if this function returns at line 8 before it receives from ch: give the channel room for one, or let the send give up with the context (GM204)
//	select {
//	case r := <-ch:
//		return r
//	case <-ctx.Done():
//		return ctx.Err()
//	}
//
// Also a worker in a loop that nothing can stop, although the object that it works for
// has a Close or it is started with every call; a send outside of the select that
// watches the context; a constructor that fails and leaves its worker running; and a
// func that is kept for ever with what it captured.
//
// # Not reported
//
// Goroutines that hold no resource. Channels that other code may receive from,
// close or send on. Workers that live as long as the program and hold a fixed
// amount.
package goretain
