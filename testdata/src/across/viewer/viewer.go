// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package viewer empties a container of frames.
package viewer

import "across/frames"

// Show closes what it has shown.
func Show(id string) {
	if m, ok := frames.Swept[id]; ok {
		m.Close()
		delete(frames.Swept, id)
	}
}
