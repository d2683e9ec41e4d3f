// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// version prints what was built and with which Go.
func version(_ context.Context, args []string, stdout, _ io.Writer) error {
	if len(args) > 0 {
		return usagef("version takes no argument")
	}
	_, err := fmt.Fprintf(stdout, "gpumemlint %s %s\n", moduleVersion(), runtime.Version())
	return err
}

// moduleVersion is the version that go install stamped into the program.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
