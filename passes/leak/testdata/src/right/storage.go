// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import "example.com/dev"

func upload(list []*dev.Tensor) error {
	for _, t := range list {
		buf, err := dev.New(1)
		if err != nil {
			return err
		}
		t.SetStorage(buf)
	}
	return nil
}

func made(n int) (*dev.Tensor, error) {
	buf, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	t, err := dev.NewTensor(buf)
	if err != nil {
		buf.Free()
		return nil, err
	}
	return t, nil
}
