// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// foreign is the header that the libraries of a tree need once needC has been
// called.
const foreign = "gpumemlint_foreign.h"

// ownLibs are the folders of the corpus with libraries that are no modules of
// their own.
var ownLibs = []string{"bugs/lib", "traps/lib", "nolint/pool"}

// users are the packages of the tree that are no libraries.
func (c *tree) users(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, dir := range goDirs(t, c.dir) {
		name := "./" + filepath.ToSlash(dir)
		if !slices.ContainsFunc(ownLibs, func(lib string) bool { return name == "./"+lib || strings.HasPrefix(name, "./"+lib+"/") }) {
			list = append(list, name)
		}
	}
	return list
}

// needC makes the tree one that needs C to be installed: each library is a cgo
// package that includes a header found nowhere, and the CUDA code of the
// matrix includes CUDA's own headers. It returns a folder with headers that
// play the installed ones. Line numbers stay.
func (c *tree) needC(t *testing.T) (include string) {
	t.Helper()
	include = filepath.Join(filepath.Dir(c.dir), "include")
	fake, err := os.ReadFile(filepath.Join(repository(t), "testdata", "matrix", "cuda_fake.h"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(include, "cuda_runtime.h"), fake)
	write(t, filepath.Join(include, "cuda.h"), fake)
	write(t, filepath.Join(include, foreign), []byte("#pragma once\ntypedef struct foreign *foreign_t;\n"))
	for _, idiom := range []struct{ name, header string }{{"cuda", "cuda_runtime.h"}, {"cudrv", "cuda.h"}} {
		dir := filepath.Join(c.dir, "matrix", idiom.name)
		if _, err := os.Stat(dir); err != nil {
			continue // not the tree with the matrix
		}
		for _, sub := range goDirs(t, dir) {
			replaceIn(t, filepath.Join(dir, sub), `#include "cuda_fake.h"`, "#include <"+idiom.header+">")
		}
		if err := os.Remove(filepath.Join(dir, "cuda_fake.h")); err != nil {
			t.Fatal(err)
		}
	}
	libs := slices.Sorted(maps.Values(c.libs))
	for _, folder := range ownLibs {
		dir := filepath.Join(c.dir, filepath.FromSlash(folder))
		if _, err := os.Stat(dir); err != nil {
			continue // as above
		}
		for _, sub := range goDirs(t, dir) {
			libs = append(libs, filepath.Join(dir, sub))
		}
	}
	for _, dir := range libs {
		text := "package " + packageName(t, dir) + "\n\n// #include <" + foreign + ">\nimport \"C\"\n\n" +
			"type foreign struct{ p C.foreign_t }\n\nvar _ foreign\n"
		write(t, filepath.Join(dir, "foreign.go"), []byte(text))
	}
	return include
}

func packageName(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no Go file in %s (%v)", dir, err)
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(line, "package "); ok {
			return strings.Fields(name)[0]
		}
	}
	t.Fatalf("%s has no package clause", names[0])
	return ""
}

func replaceIn(t *testing.T, dir, old, text string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, name, bytes.ReplaceAll(data, []byte(old), []byte(text)))
	}
}

// TestHeaderless compares what is found where the C of all libraries is
// installed with what is found where none of it is.
func TestHeaderless(t *testing.T) {
	linter := buildLinter(t)
	for i, c := range newTrees(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) { headerless(t, linter, c) })
	}
}

func headerless(t *testing.T, linter string, c *tree) {
	include := c.needC(t)
	with, stderr := aloneFindings(t, linter, c, []string{"CGO_CFLAGS=-I" + include}, c.users(t)...)
	if strings.Contains(stderr, "stand-in") || strings.Contains(stderr, "declarations") {
		t.Errorf("with all headers there, something stood in for them:\n%s", stderr)
	}
	without, stderr := aloneFindings(t, linter, c, nil, c.users(t)...)
	compare(t, "with headers", with, "without", without)
	t.Logf("%d findings; without headers:\n%s", len(with), stderr)
	libraries := 0
	for line := range strings.Lines(stderr) {
		if strings.Contains(line, "cannot be built here: ") {
			libraries++
		}
	}
	if libraries != 1 {
		t.Errorf("want one line that names the libraries, got %d:\n%s", libraries, stderr)
	}
	for importPath := range c.libs {
		if !strings.Contains(stderr, importPath) {
			t.Errorf("nothing says that %s was not read as it is", importPath)
		}
	}
}
