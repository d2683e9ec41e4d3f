// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// cold compares with the tool that does nothing on a module without any GPU
// library, first with nothing cached at all, then with the packages compiled
// but never vetted, where the tools' own cost shows best.
func (b *bench) cold(text *strings.Builder) error {
	dir, err := b.module("github.com/prometheus/client_golang", "v1.23.2")
	if err != nil {
		return err
	}
	pattern := "./prometheus/..."
	compiled := filepath.Join(b.work, "cache-compiled")
	if err := b.compileOnly(dir, compiled, "", pattern); err != nil {
		return err
	}
	fmt.Fprintf(text, `## Cold, on a module without a GPU library

client_golang v1.23.2, %s. The bound is 1.15 times the vet tool that does nothing.

| state of the cache | tool that does nothing | gpumemlint | ratio of wall | ratio of CPU |
|---|---|---|---|---|
`, "`"+pattern+"`")
	for _, state := range []struct{ name, from string }{
		{"empty", ""},
		{"packages compiled, nothing vetted", compiled},
	} {
		costs := map[string][]cost{}
		for round := range b.rounds {
			tools := []string{b.noop, b.linter}
			if round%2 == 1 {
				tools[0], tools[1] = tools[1], tools[0]
			}
			for _, tool := range tools {
				cache, err := b.freshCache(state.from)
				if err != nil {
					return err
				}
				c, _, err := b.time(dir, cache, "go", "vet", "-vettool="+tool, pattern)
				if err != nil {
					return err
				}
				costs[tool] = append(costs[tool], c)
				if err := os.RemoveAll(cache); err != nil {
					return err
				}
			}
		}
		nothing, ours := median(costs[b.noop]), median(costs[b.linter])
		fmt.Fprintf(text, "| %s | %s wall, %s CPU | %s wall, %s CPU | %s | %s |\n", state.name,
			seconds(nothing.wall), seconds(nothing.cpu), seconds(ours.wall), seconds(ours.cpu),
			ratio(ours.wall, nothing.wall), ratio(ours.cpu, nothing.cpu))
	}
	text.WriteString("\n")
	return nil
}

// warm compares runs where nothing has changed.
func (b *bench) warm(text *strings.Builder) error {
	dir, err := b.module("github.com/knights-analytics/hugot", "v0.6.1")
	if err != nil {
		return err
	}
	cache := filepath.Join(b.work, "cache-warm")
	commands := []struct {
		name string
		args []string
	}{
		{"`go vet`", []string{"go", "vet", "-tags=ORT", "./..."}},
		{"`go vet -vettool=gpumemlint`", []string{"go", "vet", "-vettool=" + b.linter, "-tags=ORT", "./..."}},
		{"`gpumemlint`", []string{b.linter, "-tags", "ORT", "./..."}},
	}
	costs := make([][]cost, len(commands))
	for round := -1; round < b.rounds; round++ {
		for i, command := range commands {
			c, _, err := b.time(dir, cache, command.args...)
			if err != nil {
				return err
			}
			if round >= 0 { // the first one warms the cache
				costs[i] = append(costs[i], c)
			}
		}
	}
	text.WriteString("## Warm\n\nhugot v0.6.1, `-tags ORT`, nothing changed since the run before.\n\n| command | wall | CPU | ratio of wall |\n|---|---|---|---|\n")
	base := median(costs[0])
	for i, command := range commands {
		c := median(costs[i])
		fmt.Fprintf(text, "| %s | %s | %s | %s |\n", command.name, seconds(c.wall), seconds(c.cpu), ratio(c.wall, base.wall))
	}
	text.WriteString("\n")
	return nil
}

// identical runs five times with nothing vetted before, so that every package
// is analysed anew, and compares the bytes.
func (b *bench) identical(text *strings.Builder) error {
	dir, err := b.module("github.com/knights-analytics/hugot", "v0.6.1")
	if err != nil {
		return err
	}
	compiled := filepath.Join(b.work, "cache-compiled-hugot")
	if err := b.compileOnly(dir, compiled, "ORT", "./..."); err != nil {
		return err
	}
	text.WriteString("## The same bytes\n\n")
	var first []byte
	const runs = 5
	for i := range runs {
		cache, err := b.freshCache(compiled)
		if err != nil {
			return err
		}
		_, out, err := b.time(dir, cache, b.linter, "-format", "json", "-tier", "possible", "-tags", "ORT", "./...")
		if err != nil {
			return err
		}
		if err := os.RemoveAll(cache); err != nil {
			return err
		}
		if len(out) == 0 {
			return fmt.Errorf("run %d of hugot printed nothing", i+1)
		}
		if first == nil {
			first = out
		}
		if !bytes.Equal(first, out) {
			return fmt.Errorf("run %d of hugot printed other bytes than the first", i+1)
		}
	}
	fmt.Fprintf(text, "%d runs over hugot, each analysing every package anew, printed the same %d bytes of JSON.\n", runs, len(first))
	return nil
}

// compileOnly fills a cache with what vet needs of compiled packages, by
// vetting with a tool that neither of the measured ones is.
func (b *bench) compileOnly(dir, cache, tags, pattern string) error {
	if _, err := os.Stat(cache); err == nil {
		return nil // kept by -work
	}
	other := filepath.Join(b.work, "other")
	data, err := os.ReadFile(b.noop)
	if err != nil {
		return err
	}
	// A vet tool is known to the cache by the hash of its bytes: one byte more
	// makes another tool of it.
	if err := os.WriteFile(other, append(data, 0), 0o777); err != nil {
		return err
	}
	_, _, err = b.time(dir, cache, "go", "vet", "-vettool="+other, "-tags="+tags, pattern)
	return err
}

// freshCache gives an empty cache, or a copy of the one named.
func (b *bench) freshCache(from string) (string, error) {
	cache, err := os.MkdirTemp(b.work, "cache-fresh-")
	if err != nil || from == "" {
		return cache, err
	}
	if err := os.Remove(cache); err != nil {
		return "", err
	}
	return cache, b.copyTree(from, cache)
}
