// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command gpumemlint finds GPU memory that Go code does not give back.
//
// It is two programs in one. Alone, "gpumemlint ./..." lints packages and
// prints what it found; the other commands explain rules and models. As a vet
// tool, "go vet -vettool=$(which gpumemlint) ./...", it analyses one package
// for the go command, which is also how the first program does its work.
//
// Run "gpumemlint help" for the commands and flags, and see docs/drivers.md
// for the ways to run it in CI.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/gpumemlint/gpumemlint"
)

func main() {
	os.Exit(mainExit())
}

// analyzers is a variable so that the command's tests can add one of theirs.
var analyzers = gpumemlint.Analyzers

// mainExit is main with the exit status as its result, so that tests can run
// the command in a process of their own.
func mainExit() int {
	if isVetCall(os.Args[1:]) {
		vetMain(analyzers()) // ends the process
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, os.Args[1:], os.Stdout, os.Stderr)
}
