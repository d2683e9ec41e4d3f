// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}/../../bugs/native
// #include "native.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// status turns a status into an error.
func status(what string, st C.cudaError_t) error {
	if st == C.cudaSuccess {
		return nil
	}
	return fmt.Errorf("%s: status %d", what, int(st))
}

// Mem is device memory.
type Mem struct {
	p unsafe.Pointer
	n int
}

// Alloc allocates n bytes on the device.
func Alloc(n int) (*Mem, error) {
	m := &Mem{n: n}
	if err := status("malloc", C.cudaMalloc(&m.p, C.size_t(n))); err != nil {
		return nil, err
	}
	return m, nil
}

// AllocFrom allocates and fills.
func AllocFrom(src []byte) (*Mem, error) {
	m, err := Alloc(len(src))
	if err != nil {
		return nil, err
	}
	if err := m.Write(src); err != nil {
		m.Free()
		return nil, err
	}
	return m, nil
}

// Write copies to the device.
func (m *Mem) Write(src []byte) error {
	defer runtime.KeepAlive(src)
	return status("memcpy", C.cudaMemcpy(m.p, unsafe.Pointer(&src[0]), C.size_t(len(src)), 1))
}

// Free may be called twice.
func (m *Mem) Free() {
	if m == nil || m.p == nil {
		return
	}
	C.cudaFree(m.p)
	m.p = nil
}

// Context has a stage that grows and a pool by size.
type Context struct {
	mu    sync.Mutex
	stage unsafe.Pointer
	size  int
	pool  map[int][]*Mem
}

// NewContext allocates the stage.
func NewContext(n int) (*Context, error) {
	var stage unsafe.Pointer
	if st := C.cudaMalloc(&stage, C.size_t(n)); st != C.cudaSuccess {
		return nil, status("stage", st)
	}
	if st := C.cudaMemset(stage, 0, C.size_t(n)); st != C.cudaSuccess {
		C.cudaFree(stage)
		return nil, status("clear stage", st)
	}
	return &Context{stage: stage, size: n, pool: map[int][]*Mem{}}, nil
}

// reserve grows the stage.
func (c *Context) reserve(n int) error {
	if n <= c.size {
		return nil
	}
	if c.stage != nil {
		C.cudaFree(c.stage)
		c.stage = nil
	}
	if err := status("grow", C.cudaMalloc(&c.stage, C.size_t(n))); err != nil {
		c.size = 0
		return err
	}
	c.size = n
	return nil
}

// Get takes memory out of the pool, or allocates it.
func (c *Context) Get(n int) (*Mem, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if free := c.pool[n]; len(free) > 0 {
		m := free[len(free)-1]
		c.pool[n] = free[:len(free)-1]
		return m, nil
	}
	return Alloc(n)
}

// Put gives memory back to the pool.
func (c *Context) Put(m *Mem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pool[m.n] = append(c.pool[m.n], m)
}

// Close frees the stage and the pool.
func (c *Context) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n, free := range c.pool {
		for _, m := range free {
			m.Free()
		}
		delete(c.pool, n)
	}
	if c.stage != nil {
		st := C.cudaFree(c.stage)
		c.stage = nil
		return status("free stage", st)
	}
	return nil
}

// Sum uses the context for one operation.
func Sum(c *Context, xs []byte) (total int, err error) {
	if len(xs) == 0 {
		return 0, errors.New("nothing to add")
	}
	if err := c.reserve(len(xs)); err != nil {
		return 0, err
	}
	in, err := AllocFrom(xs)
	if err != nil {
		return 0, err
	}
	defer in.Free()
	out, err := c.Get(8)
	if err != nil {
		return 0, err
	}
	defer c.Put(out)
	host := C.malloc(8)
	if host == nil {
		return 0, errors.New("out of host memory")
	}
	defer C.free(host)
	if err := status("copy", C.cudaMemcpy(host, out.p, 8, 2)); err != nil {
		return 0, err
	}
	return *(*int)(host), nil
}

// Load hands a C string to the library for the time of the call.
func Load(path, device string) (unsafe.Pointer, error) {
	cpath := C.CString(path)
	defer C.free(unsafe.Pointer(cpath))
	var cdev *C.char
	if device != "" {
		cdev = C.CString(device)
		defer C.free(unsafe.Pointer(cdev))
	}
	p := C.load_model(cpath, cdev)
	if p == nil {
		return nil, fmt.Errorf("load %s", path)
	}
	return p, nil
}

// Labels builds an array of strings for one call.
func Labels(api unsafe.Pointer, names []string) error {
	ptrs := make([]*C.char, 0, len(names))
	defer func() {
		for _, p := range ptrs {
			C.free(unsafe.Pointer(p))
		}
	}()
	for _, n := range names {
		ptrs = append(ptrs, C.CString(n))
	}
	for i, p := range ptrs {
		if C.set_variable(api, p, nil) != 0 {
			return fmt.Errorf("label %d", i)
		}
	}
	return nil
}
