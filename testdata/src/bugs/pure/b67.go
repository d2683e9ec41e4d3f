// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/dcgm"

// The callee destroys a group that it was only lent, and the caller goes on.
func b67InfoBug(g dcgm.Group, pid int) (int, error) {
	defer dcgm.DestroyGroup(g)
	return dcgm.ProcessInfo(g, pid)
}

func b67PollBug(pid int) (int, error) {
	g, err := dcgm.NewGroup("all")
	if err != nil {
		return 0, err
	}
	defer dcgm.DestroyGroup(g) // want GM302
	return b67InfoBug(g, pid)
}

func b67InfoFixed(g dcgm.Group, pid int) (int, error) {
	return dcgm.ProcessInfo(g, pid)
}

func b67PollFixed(pid int) (int, error) {
	g, err := dcgm.NewGroup("all")
	if err != nil {
		return 0, err
	}
	defer dcgm.DestroyGroup(g)
	return b67InfoFixed(g, pid)
}
