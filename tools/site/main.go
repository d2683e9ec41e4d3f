// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command site makes plain HTML of the documentation: the README, the pages of
// docs/ and those of the rules, with one style and one list of pages. No page
// needs a script, a font or anything else from a network.
//
//	go run ./site -o FOLDER
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", "..", "the repository's `folder`")
	out := flag.String("o", "", "write the pages into this `folder`")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "site: no folder to write to: give -o FOLDER")
		os.Exit(2)
	}
	n, err := build(*root, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages in %s\n", n, filepath.Clean(*out))
}
