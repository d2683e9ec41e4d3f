// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gpumemlint/gpumemlint/rules"
)

// modelsFlag reads a user's stub file and returns the value that the analyzer
// wants: the absolute path with the hash of the content. The go command's
// cache is keyed by flags and not by files, so without the hash it would
// answer an edited file with the findings of the old one.
func modelsFlag(name string) (string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("-models: %w", err)
	}
	file, err := rules.Parse(name, data)
	if err != nil {
		return "", stubErrors(err)
	}
	if _, err := rules.Default().With(file); err != nil {
		return "", stubErrors(err)
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("-models: %w", err)
	}
	sum := sha256.Sum256(data)
	return abs + "@sha256:" + hex.EncodeToString(sum[:]), nil
}

// stubErrors leaves the first problem of a stub file and the number of the others.
func stubErrors(err error) error {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	if n := len(lines) - 1; n > 0 {
		return fmt.Errorf("%s (and %d more)", lines[0], n)
	}
	return errors.New(lines[0])
}

// models lists the libraries that are modelled, or what is known of some.
func models(_ context.Context, args []string, stdout, _ io.Writer) error {
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		return usagef("unknown flag %s; models takes names of libraries, as in gpumemlint models gocv", args[0])
	}
	files := rules.Default().Files()
	slices.SortFunc(files, func(a, b *rules.File) int { return cmp.Compare(libraryName(a), libraryName(b)) })
	if len(args) == 0 {
		return listLibraries(stdout, files)
	}
	var buf bytes.Buffer
	for _, arg := range args {
		found := false
		for _, f := range files {
			if matchesLibrary(f, arg) {
				found = true
				writeLibrary(&buf, f)
			}
		}
		if !found {
			return usagef("no models for %q; gpumemlint models lists the libraries", arg)
		}
	}
	_, err := stdout.Write(buf.Bytes())
	return err
}

func listLibraries(w io.Writer, files []*rules.File) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, "LIBRARY\tCLASSES\tFUNCTIONS\tPACKAGE")
	for _, f := range files {
		pkg := "C"
		if !f.C && len(f.Packages) > 0 {
			pkg = f.Packages[0].Path
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%s\n", libraryName(f), len(f.Classes), len(f.Funcs), pkg)
	}
	return tw.Flush()
}

// libraryName is the stub's file name without folder and extension.
func libraryName(f *rules.File) string {
	return strings.TrimSuffix(path.Base(f.Name), path.Ext(f.Name))
}

// matchesLibrary reports whether a user who types name means f: by its short
// name, an import path or a module.
func matchesLibrary(f *rules.File, name string) bool {
	if libraryName(f) == name {
		return true
	}
	for _, p := range f.Packages {
		if p.Path == name || p.Module == name || path.Base(p.Path) == name {
			return true
		}
	}
	return false
}

func writeLibrary(w io.Writer, f *rules.File) {
	fmt.Fprintf(w, "%s\n", libraryName(f))
	for _, p := range f.Packages {
		fmt.Fprintf(w, "    package %s\n", p.Path)
	}
	// Entries that share a source follow each other: it stands above them once.
	last := ""
	source := func(link string) {
		if link != last && link != "" {
			fmt.Fprintf(w, "\n    # %s\n", link)
		}
		last = link
	}
	for _, c := range f.Classes {
		source(c.Source)
		fmt.Fprintf(w, "    class %s: %s, must be %s\n", c.Name, c.Noun, c.Verb)
	}
	for _, t := range f.Types {
		source(t.Source)
		released := ""
		if len(t.Releases) > 0 {
			released = ", released by " + strings.Join(t.Releases, " or ")
		}
		fmt.Fprintf(w, "    type %s: %s%s\n", shortKey(t.Key), t.Class.Name, released)
	}
	for _, fn := range f.Funcs {
		source(fn.Source)
		name := shortKey(fn.Key)
		if fn.Match != nil {
			name = "functions matching " + fn.Match.String()
		}
		fmt.Fprintf(w, "    func %s: %s\n", name, strings.Join(fn.Directives(), "; "))
	}
}

// shortKey cuts the import path off a key: what is left is Name or Type.Method.
func shortKey(key string) string {
	key = strings.NewReplacer("(", "", ")", "").Replace(key)
	key = key[strings.LastIndexByte(key, '/')+1:]
	_, name, ok := strings.Cut(key, ".")
	if !ok {
		return key
	}
	return name
}
