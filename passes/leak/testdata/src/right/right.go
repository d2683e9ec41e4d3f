// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"testing"

	"example.com/dev"
)

func never(n int) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	defer buf.Free()
	buf.Fill(0)
	return nil
}

func branch(n int, fast bool) error {
	buf, err := dev.New(n)
	if err != nil {
		return err
	}
	if fast {
		buf.Free()
		return nil
	}
	buf.Free()
	return nil
}

func loop(n int) {
	for i := 0; i < n; i++ {
		buf, err := dev.New(i)
		if err != nil {
			continue
		}
		buf.Fill(0)
		buf.Free()
	}
}

func collect(n int) (bufs []*dev.Buf) {
	for i := 0; i < n; i++ {
		buf, err := dev.New(i)
		if err != nil {
			break
		}
		bufs = append(bufs, buf)
	}
	return bufs
}

func helper(t *testing.T) *dev.Buf {
	buf, err := dev.New(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(buf.Free)
	return buf
}
