// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package leak reports GM102: check for resources that are never released on some ordinary path.
//
// A resource is acquired and some path, no error involved, reaches the end of
// the function or of the loop's body without releasing it.
//
//	buf, err := dev.New(n) // device buffer from dev.New is never freed (GM102)
//	if err != nil {
//		return err
//	}
//	return buf.Fill(0)
//
// It is reported at the acquiring call. The usual cure is a defer after the error
// check; in a loop, a release at the end of the body.
//
// # Not reported
//
// Values that are returned, sent, stored in something that releases them, or
// registered with t.Cleanup. What main holds when it returns. Values that went
// into a call of which nothing is known: they are shown with the tier possible.
package leak
