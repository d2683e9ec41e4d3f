// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A block is one fenced block of docs/drivers.md.
type block struct {
	section, lang, text string
}

// docBlocks reads the blocks of the documentation, in order.
func docBlocks(t *testing.T) []block {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository(t), "docs", "drivers.md"))
	if err != nil {
		t.Fatal(err)
	}
	var list []block
	section, inside := "", false
	for line := range strings.Lines(string(data)) {
		switch {
		case strings.HasPrefix(line, "```") && inside:
			inside = false
		case strings.HasPrefix(line, "```"):
			inside = true
			list = append(list, block{section: section, lang: strings.TrimSpace(strings.TrimPrefix(line, "```"))})
		case inside:
			list[len(list)-1].text += line
		case strings.HasPrefix(line, "#"):
			section = strings.TrimSpace(strings.TrimLeft(line, "#"))
		}
	}
	return list
}

// docBlock returns the block of that number, from 0, among those of a section
// and a language.
func docBlock(t *testing.T, section, lang string, n int) string {
	t.Helper()
	for _, b := range docBlocks(t) {
		if b.section != section || b.lang != lang {
			continue
		}
		if n == 0 {
			return b.text
		}
		n--
	}
	t.Fatalf("docs/drivers.md has no such block %q of %q", lang, section)
	return ""
}
