// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !cgo || !linux

package nvml

import "fmt"

// Reader asks the driver; this build has none.
type Reader struct{}

// Open fails: go-nvml needs cgo and Linux.
func Open() (*Reader, error) {
	return nil, fmt.Errorf("%w: this program was built without cgo, or not for Linux; build it with CGO_ENABLED=1 on Linux", ErrUnavailable)
}

// Close does nothing.
func (r *Reader) Close() error { return nil }

// Driver is not known.
func (r *Reader) Driver() string { return "" }

// Devices fails as Open does.
func (r *Reader) Devices() ([]Device, error) { _, err := Open(); return nil, err }

// Device fails as Open does.
func (r *Reader) Device(string) (Device, error) { _, err := Open(); return Device{}, err }
