// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command shows has a viewer, which takes out what is put in here.
package main

import (
	"bufio"
	"os"

	"across/frames"
	"across/viewer"
	"gocv.io/x/gocv"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		process(in.Text())
	}
}

func process(id string) {
	sweep(id)
	viewer.Show(id)
	remember(id)
}

func sweep(id string) {
	m := gocv.NewMat()
	frames.Swept[id] = m
}

func remember(id string) {
	frames.Forget(id)
	m := gocv.NewMat()
	frames.Remember(id, m)
}
