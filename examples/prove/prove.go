// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package prove loses device memory in five ways. All of its tests pass, and
// some of the losses happen in them without anybody noticing. See which with
//
//	go run ./cmd/gpumemlint test ./examples/prove
//
// The linter finds four by reading. The run then confirms three: one by making
// an allocation fail, which no test does by itself. It says of the fourth that
// no test comes there, and adds the fifth, which nobody can see by reading.
package prove

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/gpumemlint/gpumemlint/examples/prove/device"
)

// A Batch is the memory of one request.
type Batch struct{ in, out *device.Block }

// NewBatch loses the input when there is no room for the output.
func NewBatch(d *device.Device, bytes int) (*Batch, error) {
	in, err := d.Alloc(bytes)
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	out, err := d.Alloc(2 * bytes)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	return &Batch{in: in, out: out}, nil
}

// Close gives both blocks back.
func (b *Batch) Close() error { return errors.Join(b.in.Free(), b.out.Free()) }

// WarmUp touches as much memory as a request needs, and keeps it.
func WarmUp(d *device.Device, bytes int) error {
	scratch, err := d.Alloc(bytes)
	if err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	fmt.Println("warmed up with", scratch.Bytes(), "bytes")
	return nil
}

// Serve holds the memory of all requests until the last one is done.
func Serve(d *device.Device, requests []int) (int, error) {
	total := 0
	for _, bytes := range requests {
		b, err := NewBatch(d, bytes)
		if err != nil {
			return total, err
		}
		defer b.Close()
		total += b.in.Bytes()
	}
	return total, nil
}

// Migrate loses the old block when the new size makes no sense. No test of
// this package calls it.
func Migrate(d *device.Device, from, to int) (int, error) {
	old, err := d.Alloc(from)
	if err != nil {
		return 0, err
	}
	if to < from {
		return 0, fmt.Errorf("cannot shrink from %d to %d bytes", from, to)
	}
	return to, old.Free()
}

// Probe calls its device by name, as plug-ins do. No reader of the code can
// tell that this acquires something.
func Probe(d *device.Device, method string, bytes int) bool {
	results := reflect.ValueOf(d).MethodByName(method).Call([]reflect.Value{reflect.ValueOf(bytes)})
	return results[1].IsNil()
}
