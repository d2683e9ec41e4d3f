// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestPackageOf(t *testing.T) {
	for message, want := range map[string]string{
		"Package cuda was not found in the pkg-config search path.":           "cuda",
		"Package 'cudart-12.4', required by 'virtual:world', not found":       "cudart-12.4",
		"Package cudnn-9 was not found in the pkg-config search path.":        "cudnn-9",
		"Package opencv4 was not found in the pkg-config search path":         "",
		"Package cudaplugin was not found in the pkg-config search path":      "",
		"raw.go:4:11: fatal error: cuda_runtime.h: No such file or directory": "",
		"exec: \"pkg-config\": executable file not found in $PATH":            "",
	} {
		name, ok := packageOf(message)
		if ok != (want != "") || ok && name != want {
			t.Errorf("packageOf(%q) = %q, %v; want %q", message, name, ok, want)
		}
	}
}

// TestPkgConfig checks that the stand-in keeps to itself what it plays and asks
// the real program for the rest.
func TestPkgConfig(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	real := filepath.Join(dir, "it's real")
	if err := os.WriteFile(real, []byte("#!/bin/sh\necho asked \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PKG_CONFIG", real)
	p := &Plan{Packages: []string{"cuda-12.4", "cudart"}, dir: dir}
	file, err := p.pkgConfig()
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"--cflags -- cuda-12.4":      "",
		"--libs -- cuda-12.4 cudart": "",
		"--cflags -- opencv4 cudart": "asked --cflags -- opencv4\n",
		"--cflags -- cudart-11":      "asked --cflags -- cudart-11\n",
	} {
		out, err := exec.Command(file, strings.Fields(args)...).Output()
		if err != nil || string(out) != want {
			t.Errorf("%s: %q, error %v; want %q", args, out, err, want)
		}
	}
}
