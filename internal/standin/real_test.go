// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// installed are headers of libraries that distributions carry, by the stand-in
// that plays them.
var installed = map[string]string{
	"CL/cl.h": "/usr/include/CL/cl.h",
}

var prototype = regexp.MustCompile(`(?m)^[a-z_][a-zA-Z0-9_ ]*[ *]+\w+\([^;{}]*\);`)

// TestHeadersAgreeWithReal declares the functions of a stand-in behind the
// library's own header: the compiler refuses a second declaration that differs
// from the first.
func TestHeadersAgreeWithReal(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc")
	}
	for name, real := range installed {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(real); err != nil {
				t.Skipf("%s is not installed", name)
			}
			data, err := headers.ReadFile("include/" + name)
			if err != nil {
				t.Fatal(err)
			}
			list := prototype.FindAllString(string(data), -1)
			if len(list) < 50 {
				t.Fatalf("found %d prototypes in %s", len(list), name)
			}
			src := fmt.Sprintf("#define CL_TARGET_OPENCL_VERSION 300\n#define CL_USE_DEPRECATED_OPENCL_1_1_APIS\n#define CL_USE_DEPRECATED_OPENCL_1_2_APIS\n#define CL_USE_DEPRECATED_OPENCL_2_0_APIS\n#include <%s>\n%s\n", name, strings.Join(list, "\n"))
			if err := gcc(t, filepath.Dir(filepath.Dir(real)), src); err != nil {
				t.Error(err)
			}
			if err := gcc(t, filepath.Dir(filepath.Dir(real)), src+"char clCreateBuffer(int);\n"); err == nil {
				t.Error("a prototype that differs was accepted")
			}
		})
	}
}
