// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// Site is what one call stack did on one device, split by everything that a
// profile labels.
type Site struct {
	Device  int            `json:"device"`
	Pool    string         `json:"pool"` // small, large or private N
	Stream  uint64         `json:"stream"`
	Tag     string         `json:"tag,omitempty"`
	Block   int64          `json:"block"` // bytes of each block, as rounded by the allocator
	Live    Sum            `json:"live"`  // blocks that callers or running kernels hold
	Alloced Sum            `json:"allocated"`
	Frames  []memviz.Frame `json:"frames"` // innermost first
}

// Sum is a number of blocks and their bytes.
type Sum struct {
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
}

func (s *Sum) add(bytes int64) {
	s.Count++
	s.Bytes += bytes
}

// minBlock is what sizes are rounded up to where the block itself is gone and
// its real size with it.
const minBlock = 512

// smallRequest is the largest request that the small pool serves, in bytes.
const smallRequest = 1 << 20

// Sites counts blocks by call stack: the live ones from the segments, and those
// allocated from the trace. A trace forgets its oldest events, so Alloced is
// what happened since then, together with what is still alive from before. The
// order is by live bytes, largest first, and then by stack.
func Sites(s *memviz.Snapshot) []Site {
	c := &counter{index: map[string]int{}, stacks: map[*memviz.Frame]string{}}
	live := map[place]int64{}
	for i := range s.Segments {
		g := &s.Segments[i]
		for k := range g.Blocks {
			b := &g.Blocks[k]
			if b.State == memviz.StateInactive {
				continue
			}
			live[place{g.Device, b.Address}] = b.Size
			site := c.site(Site{Device: g.Device, Pool: poolName(g.SegmentType, g.PoolID), Stream: g.Stream, Tag: b.Tag, Block: b.Size, Frames: b.Frames})
			site.Live.add(b.Size)
			site.Alloced.add(b.Size)
		}
	}
	for device, events := range s.Traces {
		// Backwards: the last allocation at an address whose block lives is
		// that block, and has been counted above.
		for i := len(events) - 1; i >= 0; i-- {
			e := &events[i]
			if e.Action != memviz.ActionAlloc {
				continue
			}
			if _, ok := live[place{device, e.Addr}]; ok {
				delete(live, place{device, e.Addr})
				continue
			}
			size := (max(e.Size, 1) + minBlock - 1) / minBlock * minBlock
			kind := "large"
			if e.Size <= smallRequest {
				kind = "small"
			}
			c.site(Site{Device: device, Pool: poolName(kind, e.PoolID), Stream: e.Stream, Tag: e.Tag, Block: size, Frames: e.Frames}).Alloced.add(size)
		}
	}
	slices.SortFunc(c.sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Live.Bytes, a.Live.Bytes), cmp.Compare(b.Alloced.Bytes, a.Alloced.Bytes), strings.Compare(c.key(&a), c.key(&b)))
	})
	return c.sites
}

// place is where a block lies.
type place struct {
	device int
	addr   uint64
}

type counter struct {
	sites  []Site
	index  map[string]int
	stacks map[*memviz.Frame]string // shared stacks are spelled once
}

func (c *counter) site(s Site) *Site {
	key := c.key(&s)
	i, ok := c.index[key]
	if !ok {
		i = len(c.sites)
		c.index[key] = i
		c.sites = append(c.sites, s)
	}
	return &c.sites[i]
}

func (c *counter) key(s *Site) string {
	stack := ""
	if len(s.Frames) > 0 {
		first := &s.Frames[0]
		var ok bool
		if stack, ok = c.stacks[first]; !ok {
			stack = StackKey(s.Frames)
			c.stacks[first] = stack
		}
	}
	return fmt.Sprintf("%s\n%d %s %d %d %q", stack, s.Device, s.Pool, s.Stream, s.Block, s.Tag)
}

// StackKey spells a stack out, one frame a line, innermost first; equal stacks
// have equal keys, also in snapshots of different processes.
func StackKey(frames []memviz.Frame) string {
	var b strings.Builder
	for _, f := range frames {
		fmt.Fprintf(&b, "%s:%d %s\n", f.Filename, f.Line, f.Name)
	}
	return b.String()
}

func poolName(kind string, id [2]int) string {
	if id == [2]int{} {
		return kind
	}
	return "private " + itoa(int64(id[0])) + "." + itoa(int64(id[1]))
}

// Leaf names the innermost frame in a few words: "batch.go:41 main.loadBatch".
func Leaf(frames []memviz.Frame) string {
	if len(frames) == 0 {
		return "unknown"
	}
	f := frames[0]
	name := path.Base(f.Name)
	if f.Filename == "" {
		return name
	}
	return path.Base(f.Filename) + ":" + itoa(int64(f.Line)) + " " + name
}

func itoa(v int64) string { return strconv.FormatInt(v, 10) }
