// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package suppressed

import "example.com/dev"

type model struct {
	session *dev.Session
	input   *dev.Buf
}

func (m *model) Close() error {
	if err := m.session.Close(); err != nil {
		return err //nolint:GM401 // the caller tries again
	}
	return m.input.Free()
}
