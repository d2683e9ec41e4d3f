// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed account.go history.go call.go collect.go collect_old.go enter.go goroutine.go ident.go inject.go later.go leave.go loop.go release.go report.go stack.go state.go table.go tests.go track.go
var source embed.FS

// constraint lets files be compiled in a module whose go line is older: a
// build constraint raises the language version of its file.
const constraint = "//go:build go1.21\n\n"

// Source returns this package's files, for a copy inside another module: file
// name → text. The copy lacks this function.
func Source() (map[string]string, error) {
	names, err := fs.Glob(source, "*.go")
	if err != nil {
		return nil, fmt.Errorf("list the ledger's sources: %w", err)
	}
	files := map[string]string{}
	for _, name := range names {
		data, err := source.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the ledger's source %s: %w", name, err)
		}
		text := string(data)
		if !strings.Contains(text, "\n//go:build ") {
			text = constraint + text
		}
		files[name] = text
	}
	return files, nil
}
