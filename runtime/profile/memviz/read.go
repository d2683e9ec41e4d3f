// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package memviz

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
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
	case trimmed[0] == '{' || trimmed[0] == '[':
		return ReadJSON(data)
	case data[0] == 0x80: // the opcode that every pickle since protocol 2 begins with
		return ReadPickle(data)
	}
	return nil, fmt.Errorf("snapshot: the file is neither JSON nor a pickle")
}

// complete fills in what older versions of PyTorch leave out and everybody
// computes: the addresses of blocks, the sums of segments. Events of kinds that
// the viewer doesn't draw are dropped; PyTorch adds some with time.
func (s *Snapshot) complete() {
	for i := range s.Segments {
		g := &s.Segments[i]
		if g.SegmentType == "" {
			g.SegmentType = "large"
		}
		sums := g.Allocated == 0 && g.Active == 0
		next := g.Address
		for k := range g.Blocks {
			b := &g.Blocks[k]
			if b.Address == 0 {
				b.Address = next
			}
			next = b.Address + uint64(b.Size)
			if b.State == StateInactive || !sums {
				continue
			}
			g.Active += b.Size
			if b.State == StateAllocated {
				g.Allocated += b.Size
			}
		}
	}
	for i, events := range s.Traces {
		s.Traces[i] = slices.DeleteFunc(events, func(e Event) bool { return !slices.Contains(actions, e.Action) })
	}
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
