// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"fmt"
	"os"

	"example.com/dev"
)

func deferredUnderRecover(n int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("fill: %v", r)
		}
	}()
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	defer b.Free()
	return b.Fill(1)
}

// Who recovers releases too.
func releasedInRecover(n int) (err error) {
	var b *dev.Buf
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("fill: %v", r)
			if b != nil {
				b.Free()
			}
		}
	}()
	b, err = dev.New(n)
	if err != nil {
		return err
	}
	err = b.Fill(1)
	b.Free()
	return err
}

// Nothing goes on behind the panic.
func ends(n int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(r)
			os.Exit(1)
		}
	}()
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	err = b.Fill(1)
	b.Free()
	return err
}

func again(n int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			panic(fmt.Sprint("again: ", r))
		}
	}()
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	err = b.Fill(1)
	b.Free()
	return err
}

type kept struct{ b *dev.Buf }

func (k *kept) Close() { k.b.Free() }

// It is in an object that lives on.
func (k *kept) open(n int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("open: %v", r)
		}
	}()
	if k.b != nil {
		return nil
	}
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	k.b = b
	return b.Fill(0)
}
