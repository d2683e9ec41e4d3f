// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv_test

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem/cudadrv"
)

// The fake driver is compiled by the test, so that the package's own calls are
// tested where there is no GPU. Its source is embedded: a test binary is all
// that a machine with a GPU needs.
//
//go:embed testdata/fakecuda.c
var fakeSource []byte

// fake is the control side of the fake driver.
type fake struct {
	path                      string
	fail, live, enter, inside uintptr
}

var buildFake = sync.OnceValues(func() (*fake, error) {
	if runtime.GOOS != "linux" {
		return nil, fmt.Errorf("the fake driver is built on linux only")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		return nil, fmt.Errorf("no gcc to build the fake driver with")
	}
	dir, err := os.MkdirTemp("", "fakecuda")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // the library stays mapped
	source := filepath.Join(dir, "fakecuda.c")
	f := &fake{path: filepath.Join(dir, "libcuda.so.1")}
	if err := os.WriteFile(source, fakeSource, 0o600); err != nil {
		return nil, err
	}
	if out, err := exec.Command(gcc, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", f.path, source, "-lpthread").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gcc: %w: %s", err, out)
	}
	if _, err := cudadrv.Devices(cudadrv.Library(f.path)); err != nil {
		return nil, err
	}
	handle, err := purego.Dlopen(f.path, purego.RTLD_NOW)
	if err != nil {
		return nil, err
	}
	for name, at := range map[string]*uintptr{"fake_fail": &f.fail, "fake_live": &f.live, "fake_enter": &f.enter, "fake_inside": &f.inside} {
		if *at, err = purego.Dlsym(handle, name); err != nil {
			return nil, err
		}
	}
	return f, nil
})

func needFake(t testing.TB) *fake {
	t.Helper()
	f, err := buildFake()
	if err != nil {
		t.Skip(err)
	}
	return f
}

// open opens a device of the fake driver.
func (f *fake) open(t testing.TB, ordinal int, opts ...cudadrv.Option) *cudadrv.Driver {
	t.Helper()
	d, err := cudadrv.Open(ordinal, append(opts, cudadrv.Library(f.path))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// failCall lets the nth call of the function from now on fail with code.
func (f *fake) failCall(name string, nth, code int) {
	b := append([]byte(name), 0)
	purego.SyscallN(f.fail, ptr(b), uintptr(nth), uintptr(code))
}

// alive counts what is alive in the driver; kinds are letters of fakecuda.c.
func (f *fake) alive(kinds string) (n int) {
	for _, k := range kinds {
		r, _, _ := purego.SyscallN(f.live, uintptr(k))
		n += int(int32(r))
	}
	return n
}
