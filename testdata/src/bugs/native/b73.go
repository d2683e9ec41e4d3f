// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}
// #include "native.h"
import "C"

import (
	"io"
	"sync"
)

type b73EncoderBug struct {
	mu     sync.Mutex
	engine *C.enc_engine
	closed bool
}

func (e *b73EncoderBug) Read() (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return 0, io.EOF
	}
	return int(C.enc_encode(e.engine)), nil
}

// The flag keeps readers out, and not a second Close.
func (e *b73EncoderBug) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var rc C.int
	C.enc_close(e.engine, &rc) // want GM401
	e.closed = true
	if rc != 0 {
		return errFailed
	}
	return nil
}

type b73EncoderFixed struct {
	mu     sync.Mutex
	engine *C.enc_engine
	closed bool
}

func (e *b73EncoderFixed) Read() (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return 0, io.EOF
	}
	return int(C.enc_encode(e.engine)), nil
}

func (e *b73EncoderFixed) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	var rc C.int
	C.enc_close(e.engine, &rc)
	e.closed = true
	if rc != 0 {
		return errFailed
	}
	return nil
}
