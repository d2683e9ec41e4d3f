// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"bytes"
	"go/format"
	"testing"
)

// TestDefault parses all built-in stubs.
func TestDefault(t *testing.T) {
	lib := newLibrary()
	set := newSet(lib, nil)
	files := set.Files()
	for _, err := range lib.errs {
		t.Error(err)
	}
	// As user files, so that references that lead nowhere are told.
	if _, err := newSet(&library{}, nil).With(files...); err != nil {
		t.Errorf("references between stubs:\n%v", err)
	}
}

// TestStubsFormatted keeps the stub files as gofmt would have them.
func TestStubsFormatted(t *testing.T) {
	for _, name := range newLibrary().names {
		src, err := stubs.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := format.Source(src); err != nil || !bytes.Equal(out, src) {
			t.Errorf("%s is not gofmted (%v)", name, err)
		}
	}
}
