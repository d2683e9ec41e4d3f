// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"cmp"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// PeakByTag gives what each tag held when a device held most, the largest first;
// "" is what has no tag. It needs a history.
func PeakByTag(s *memviz.Snapshot, device int) []SiteBytes {
	// The walk counts by call stack: let the tag be the stack.
	tagged := &memviz.Snapshot{Segments: slices.Clone(s.Segments), Traces: make([][]memviz.Event, len(s.Traces))}
	for i := range tagged.Segments {
		g := &tagged.Segments[i]
		g.Blocks = slices.Clone(g.Blocks)
		for k := range g.Blocks {
			g.Blocks[k].Frames = tagFrames(g.Blocks[k].Tag)
		}
	}
	// The event of a free has the tag of the block that is freed.
	for i, events := range s.Traces {
		tagged.Traces[i] = slices.Clone(events)
		for k := range tagged.Traces[i] {
			tagged.Traces[i][k].Frames = tagFrames(tagged.Traces[i][k].Tag)
		}
	}
	w := NewWalk(tagged, device)
	var out []SiteBytes
	for i, bytes := range w.Peak {
		if bytes > 0 {
			out = append(out, SiteBytes{tagOf(w.Keys[i]), bytes})
		}
	}
	slices.SortFunc(out, func(a, b SiteBytes) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// tagFrames makes a stack of a tag, and tagOf a tag of the stack's key again.
func tagFrames(tag string) []memviz.Frame { return []memviz.Frame{{Name: tag}} }

func tagOf(key string) string {
	prefix := StackKey(tagFrames(""))
	return key[len(prefix)-1 : len(key)-1] // the line without its end
}
