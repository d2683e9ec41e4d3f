// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/goproxytest"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestModules runs transcripts that need modules in the module cache: those of
// testdata/modules/proxy, served on this machine.
func TestModules(t *testing.T) {
	proxy, err := goproxytest.NewServer(filepath.Join("testdata", "modules", "proxy"), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	params := scriptParams(filepath.Join("testdata", "modules", "script"))
	setup := params.Setup
	params.Setup = func(e *testscript.Env) error {
		if err := setup(e); err != nil {
			return err
		}
		e.Setenv("GOPROXY", proxy.URL)
		e.Setenv("GONOSUMDB", "*")
		e.Setenv("GOFLAGS", "")
		e.Setenv("GONOSUMCHECK", "1")
		e.Setenv("GOMODCACHE", filepath.Join(e.WorkDir, "cache"))
		return nil
	}
	testscript.Run(t, params)
}
