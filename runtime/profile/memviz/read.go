// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package memviz

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// maxUnpacked bounds what a compressed file may unfold to, in bytes.
const maxUnpacked = 4 << 30

// Read decodes a snapshot in any form: JSON or pickle, gzip or not.
func Read(data []byte) (*Snapshot, error) {
	data, err := Unpack(data)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	switch {
	case len(trimmed) == 0:
		return nil, fmt.Errorf("snapshot: the file is empty")
	case trimmed[0] == '{':
		return ReadJSON(data)
	case data[0] == 0x80: // the opcode that every pickle since protocol 2 begins with
		return ReadPickle(data)
	}
	return nil, fmt.Errorf("snapshot: the file is neither JSON nor a pickle")
}

// Unpack returns what a gzip file holds, and any other data as it is.
func Unpack(data []byte) ([]byte, error) {
	if len(data) < 2 || data[0] != 0x1f || data[1] != 0x8b {
		return data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("broken gzip file: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(z, maxUnpacked+1))
	if err != nil {
		return nil, fmt.Errorf("broken gzip file: %w", err)
	}
	if len(out) > maxUnpacked {
		return nil, fmt.Errorf("the gzip file unfolds to more than %d bytes", int64(maxUnpacked))
	}
	return out, nil
}
