// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"bytes"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/rules"
)

// covered are the models whose functions the headers must declare, with the
// header that a user of them includes.
var covered = map[string][]string{
	"c_cuda_runtime": {"cuda_runtime.h"},
	"c_cuda_driver":  {"cuda.h"},
	"c_cublas":       {"cublas_v2.h", "cublasLt.h", "cublasXt.h"},
	"c_cudnn":        {"cudnn.h"},
	"c_cufft":        {"cufft.h"},
	"c_curand":       {"curand.h"},
	"c_cusolver":     {"cusolverDn.h", "cusolverSp.h"},
	"c_cusparse":     {"cusparse.h"},
	"c_nccl":         {"nccl.h"},
	"c_nvrtc":        {"nvrtc.h"},
	"c_hip":          {"hip/hip_runtime.h", "hip/hiprtc.h"},
	"c_opencl":       {"CL/cl.h"},
}

func gcc(t *testing.T, dir, source string) error {
	t.Helper()
	cmd := exec.Command("gcc", "-fsyntax-only", "-Wall", "-Werror", "-I", dir, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(source)
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w\n%s", err, out.String())
	}
	return nil
}

func headerDir(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc")
	}
	dir, err := writeHeaders(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestHeadersStandAlone compiles each header by itself.
func TestHeadersStandAlone(t *testing.T) {
	dir := headerDir(t)
	err := fs.WalkDir(headers, "include", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimPrefix(path, "include/")
		if err := gcc(t, dir, "#include \""+name+"\"\n#include \""+name+"\"\n"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestHeadersDeclareModels checks that each function with a model is declared:
// code that leaks must not fail to compile.
func TestHeadersDeclareModels(t *testing.T) {
	dir := headerDir(t)
	seen := map[string]bool{}
	for _, f := range rules.Default().Files() {
		lib := strings.TrimSuffix(filepath.Base(f.Name), ".gpumem")
		if len(covered[lib]) == 0 {
			continue
		}
		seen[lib] = true
		var src strings.Builder
		for _, h := range covered[lib] {
			fmt.Fprintf(&src, "#include \"%s\"\n", h)
		}
		src.WriteString("void use(void) {\n")
		for _, fn := range f.Funcs {
			if fn.Match == nil {
				fmt.Fprintf(&src, "\t(void)&%s;\n", strings.TrimPrefix(fn.Key, "C."))
			}
		}
		src.WriteString("}\n")
		if err := gcc(t, dir, src.String()); err != nil {
			t.Errorf("%s: %v", lib, err)
		}
	}
	for lib := range covered {
		if !seen[lib] {
			t.Errorf("there is no model %s", lib)
		}
	}
}
