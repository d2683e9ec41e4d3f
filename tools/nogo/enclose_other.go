// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package nogo

import (
	"os/exec"
	"path/filepath"
)

// enclose has no means of closing the root here: the action sees other files,
// but its environment is empty and its folder holds the inputs only.
func enclose(cmd *exec.Cmd, root string) {
	cmd.Path, cmd.Dir = filepath.Join(root, "nogo"), root
}
