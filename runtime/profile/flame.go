// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// WriteFlame writes what is in use as collapsed stacks for flame graphs, one
// line a stack: the stream and the block's state, then the frames from the
// outermost in, then the bytes.
func WriteFlame(w io.Writer, s *memviz.Snapshot) error {
	sums := map[string]int64{}
	for i := range s.Segments {
		g := &s.Segments[i]
		for k := range g.Blocks {
			b := &g.Blocks[k]
			parts := []string{fmt.Sprintf("stream_%d", g.Stream), b.State}
			for _, f := range slices.Backward(b.Frames) {
				parts = append(parts, fmt.Sprintf("%s:%d:%s", path.Base(f.Filename), f.Line, path.Base(f.Name)))
			}
			for i := range parts {
				parts[i] = strings.NewReplacer(";", ",", "\n", " ").Replace(parts[i])
			}
			sums[strings.Join(parts, ";")] += b.Size
		}
	}
	b := bufio.NewWriter(w)
	lines := make([]string, 0, len(sums))
	for stack := range sums {
		lines = append(lines, stack)
	}
	slices.Sort(lines)
	for _, stack := range lines {
		fmt.Fprintf(b, "%s %d\n", stack, sums[stack])
	}
	return b.Flush()
}
