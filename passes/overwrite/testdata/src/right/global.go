// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"sync"

	"example.com/dev"
)

var (
	scratch *dev.Buf
	once    sync.Once
	weights *dev.Buf // nobody frees it: it lives as long as the program
)

func Shutdown() {
	if scratch != nil {
		scratch.Free()
		scratch = nil
	}
}

// The old one goes first.
func SetScratch(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	Shutdown()
	scratch = buf
	return nil
}

func UpdateScratch(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	old := scratch
	scratch = buf
	if old != nil {
		old.Free()
	}
	return nil
}

// Made where there is none.
func EnsureScratch(n int) (*dev.Buf, error) {
	if scratch != nil {
		return scratch, nil
	}
	buf, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	scratch = buf
	return buf, nil
}

// Once.
func SetOnce(n int) (err error) {
	once.Do(func() { scratch, err = dev.New(n) })
	return err
}

// Whoever gets the old one frees it.
func SwapScratch(buf *dev.Buf) *dev.Buf {
	old := scratch
	scratch = buf
	return old
}

// It is put back.
func WithScratch(buf *dev.Buf, f func()) {
	old := scratch
	scratch = buf
	defer func() { scratch = old }()
	f()
}

// Called once, by its name.
func LoadScratch(n int) (err error) {
	scratch, err = dev.New(n)
	return err
}

func SetWeights(n int) (err error) {
	weights, err = dev.New(n)
	return err
}
