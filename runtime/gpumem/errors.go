// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinel errors; compare with errors.Is.
var (
	// ErrOutOfMemory is matched by every *OOMError and by a driver's refusal.
	ErrOutOfMemory = errors.New("out of device memory")
	// ErrClosed is returned for the use of something already closed.
	ErrClosed = errors.New("already closed")
	// ErrDoubleFree is returned by a second Close of the same allocation; it
	// matches ErrClosed too.
	ErrDoubleFree error = doubleFree{}
	// ErrForeignPointer is returned for an address or handle of another owner.
	ErrForeignPointer = errors.New("not allocated by this device")
	// ErrLeak is matched by the error of Device.Close where something is live.
	ErrLeak = errors.New("device memory leaked")
	// ErrInvalid is returned for arguments that make no sense.
	ErrInvalid = errors.New("invalid argument")
)

type doubleFree struct{}

func (doubleFree) Error() string        { return "double free: already closed" }
func (doubleFree) Is(target error) bool { return target == ErrClosed }

// leakError names what is live, nil where nothing is.
func (d *Device) leakError() error {
	const most = 10
	var text strings.Builder
	n, bytes := 0, int64(0)
	for r := range d.Live() {
		n++
		bytes += r.Size
		if n <= most {
			fmt.Fprintf(&text, "; %s", r)
		}
	}
	if n == 0 {
		return nil
	}
	if n > most {
		fmt.Fprintf(&text, "; and %d more", n-most)
	}
	return fmt.Errorf("close device %s: %d live, %v%s: %w", d.name, n, Bytes(bytes), text.String(), ErrLeak)
}

// String describes the resource in a few words.
func (r Record) String() string {
	var b strings.Builder
	b.WriteString(r.Kind.String())
	if r.Size > 0 {
		fmt.Fprintf(&b, " of %v at %v", Bytes(r.Size), r.Addr)
	}
	if r.Tag != "" {
		fmt.Fprintf(&b, " %q", r.Tag)
	}
	if r.Site != 0 {
		fmt.Fprintf(&b, " from %v", r.Site)
	}
	return b.String()
}
