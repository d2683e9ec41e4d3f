// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

type model struct{ cache []*dev.Buf }

func (m *model) forward(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	m.cache = append(m.cache, b) //nolint:GM203 // three passes in all
	return nil
}

func (m *model) Close() {
	for _, b := range m.cache {
		b.Free()
	}
}
