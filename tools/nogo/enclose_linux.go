// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package nogo

import (
	"os"
	"os/exec"
	"syscall"
)

// enclose makes root all that the command can see of the file system, as the
// sandbox of Bazel does. Who is not root becomes it in a user namespace.
func enclose(cmd *exec.Cmd, root string) {
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	if os.Getuid() == 0 {
		return // may change its root as it is
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
}
