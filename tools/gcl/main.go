// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command gcl is golangci-lint with gpumemlint's plugin linked in.
//
// Users get such a build from golangci-lint custom, which clones golangci-lint
// and needs the network for it. This one is made of the module alone, so that
// our tests run on the real thing. It has a go.mod of its own: nothing else
// here should pay for some four hundred modules.
package main

import (
	"fmt"
	"os"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	_ "github.com/gpumemlint/gpumemlint/gclplugin"
)

func main() {
	err := commands.Execute(commands.BuildInfo{Version: "with gpumemlint"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitcodes.Failure)
	}
}
