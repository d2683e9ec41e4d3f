// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command gen writes docs/rules from the catalogue of rules. Run it at the
// root of the repository:
//
//	go run ./rules/gen
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gpumemlint/gpumemlint/rules"
)

func main() {
	if err := write(filepath.Join("docs", "rules")); err != nil {
		fmt.Fprintf(os.Stderr, "gen: %v\n", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if _, err := os.Stat("go.mod"); err != nil {
		return fmt.Errorf("no go.mod here: run it at the root of the repository")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(rules.CatalogMarkdown()), 0o644); err != nil {
		return err
	}
	for _, r := range rules.Catalog() {
		if err := os.WriteFile(filepath.Join(dir, r.ID+".md"), []byte(r.Markdown()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
