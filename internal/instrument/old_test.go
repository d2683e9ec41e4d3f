// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"os"
	"path/filepath"
	"testing"

	ledger "github.com/gpumemlint/gpumemlint/runtime/track"
)

// TestOldModule makes calls fail in a module whose go line is older than type
// parameters, with and without a build constraint of the file's own.
func TestOldModule(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/old\n\ngo 1.16\n")
	write(t, filepath.Join(dir, "a.go"), "// Package old is old.\npackage old\n\nfunc may() error { return nil }\n\nfunc A() error {\n\treturn may()\n}\n")
	write(t, filepath.Join(dir, "b.go"), "//go:build !never || x\n\npackage old\n\nfunc B() error {\n\treturn may()\n}\n")
	write(t, filepath.Join(dir, "a_test.go"), `package old

import "testing"

func TestA(t *testing.T) {
	if err := A(); err != nil {
		t.Fatal(err)
	}
}

func TestB(t *testing.T) {
	if err := B(); err != nil {
		t.Fatal(err)
	}
}
`)
	w := build(t, Plan{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS="), Patterns: []string{"."}, Injections: []Injection{
		{ID: "a", File: "a.go", Line: 7}, {ID: "b", File: "b.go", Line: 6},
	}})
	p := compile(t, w)
	for id, at := range map[string]ledger.Frame{
		"a": {File: filepath.Join(dir, "a.go"), Line: 7},
		"b": {File: filepath.Join(dir, "b.go"), Line: 6},
	} {
		list := p.run(t, id).kind(ledger.KindInject)
		if len(list) != 1 || list[0].Stack[0].File != at.File || list[0].Stack[0].Line != at.Line {
			t.Errorf("%s: injected %+v, want once at %s:%d", id, list, at.File, at.Line)
		}
	}
}
