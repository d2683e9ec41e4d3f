// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"

	"github.com/gpumemlint/gpumemlint/internal/output"
)

// forHost returns the report with files named from the root of the repository,
// as hosts of code want them. Without a repository they stay as they are.
func forHost(rep *output.Report, paths output.Paths) *output.Report {
	for dir := paths.Root; dir != ""; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil { // a folder, or a file in a worktree
			prefix, err := filepath.Rel(dir, paths.Root)
			if err != nil {
				return rep
			}
			return rep.Rebase(filepath.ToSlash(prefix), func(file string) bool {
				_, err := os.Stat(filepath.Join(paths.Root, filepath.FromSlash(file)))
				return err == nil && !filepath.IsAbs(file)
			})
		}
		if dir == filepath.Dir(dir) {
			break // the file system's root
		}
	}
	return rep
}
