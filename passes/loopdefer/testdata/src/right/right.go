// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import "example.com/dev"

// Each iteration is a function of its own.
func requests(sizes []int) error {
	for _, n := range sizes {
		err := func() error {
			buf, err := dev.New(n)
			if err != nil {
				return err
			}
			defer buf.Free()
			return buf.Fill(0)
		}()
		if err != nil {
			return err
		}
	}
	return nil
}

// The loop ends with the first success.
func retry(n int) error {
	for {
		buf, err := dev.New(n)
		if err != nil {
			n /= 2
			continue
		}
		defer buf.Free()
		return buf.Fill(0)
	}
}

// All buffers are in use until the end.
func together(sizes []int) error {
	var bufs []*dev.Buf
	for _, n := range sizes {
		buf, err := dev.New(n)
		if err != nil {
			return err
		}
		defer buf.Free()
		bufs = append(bufs, buf)
	}
	for _, buf := range bufs {
		buf.Fill(0)
	}
	return nil
}
