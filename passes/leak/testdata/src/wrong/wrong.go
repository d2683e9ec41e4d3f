// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import "example.com/dev"

func never(n int) error {
	buf, err := dev.New(n) // want `device buffer from dev.New is never freed \(GM102\)`
	if err != nil {
		return err
	}
	buf.Fill(0)
	return nil
}

func branch(n int, fast bool) error {
	buf, err := dev.New(n) // want `device buffer from dev.New is not freed on every path: the exit at line 23 loses it \(GM102\)`
	if err != nil {
		return err
	}
	if fast {
		return nil
	}
	buf.Free()
	return nil
}

func loop(n int) {
	for i := 0; i < n; i++ {
		buf, err := dev.New(i) // want `device buffer from dev.New is not freed before the next iteration: one is lost each time around the loop \(GM102\)`
		if err != nil {
			continue
		}
		buf.Fill(0)
	}
}

type owner struct{ buf *dev.Buf }

func (o *owner) Close() { o.buf.Free() }

func newOwner(n int) (*owner, error) {
	buf, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	return &owner{buf}, nil
}

func dropOwner() error {
	o, err := newOwner(1) // want `owner holding device buffer from newOwner is never closed \(GM102\)`
	if err != nil {
		return err
	}
	o.buf.Fill(1)
	return nil
}
