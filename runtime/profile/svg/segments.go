// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// maxSegments is how many segments are drawn, the largest; with more the map
// would be a grey mist.
const maxSegments = 2000

// spot is where a segment's bar lies in the map, in pixels.
type spot struct {
	segment *memviz.Segment
	x       float64
	row     int
	width   float64
}

// layout places a device's segments, in address order, from left to right in
// rows like words in a text. All have one scale: the smallest number of bytes a
// pixel at which they need no more than maxRows rows.
func layout(s *memviz.Snapshot, device int) (spots []spot, rows int, perByte float64, hidden int) {
	var list []*memviz.Segment
	for i := range s.Segments {
		if s.Segments[i].Device == device && s.Segments[i].TotalSize > 0 {
			list = append(list, &s.Segments[i])
		}
	}
	if len(list) == 0 {
		return nil, 0, 0, 0
	}
	slices.SortFunc(list, func(a, b *memviz.Segment) int {
		return cmp.Or(cmp.Compare(b.TotalSize, a.TotalSize), cmp.Compare(a.Address, b.Address))
	})
	if len(list) > maxSegments {
		list, hidden = list[:maxSegments], len(list)-maxSegments
	}
	perByte = mapWidth / float64(list[0].TotalSize)
	slices.SortFunc(list, func(a, b *memviz.Segment) int { return cmp.Compare(a.Address, b.Address) })
	for {
		spots, rows = flow(list, perByte)
		// Bars have a least width, so shrinking stops to help at some point.
		if rows <= maxRows || perByte*float64(slices.MaxFunc(list, bySize).TotalSize) < minSegment {
			return spots, rows, perByte, hidden
		}
		perByte *= 0.8
	}
}

func bySize(a, b *memviz.Segment) int { return cmp.Compare(a.TotalSize, b.TotalSize) }

func flow(list []*memviz.Segment, perByte float64) (spots []spot, rows int) {
	x := 0.0
	for _, g := range list {
		w := max(float64(g.TotalSize)*perByte, minSegment)
		if x > 0 && x+w > mapWidth+0.5 {
			x = 0
			rows++
		}
		spots = append(spots, spot{g, x, rows, w})
		x += w + segmentGap
	}
	return spots, rows + 1
}

// segments draws the map; y is its upper edge.
func (p *panel) segments(c *canvas, y int) {
	c.text(16, float64(y+10), dimColour, "", "segments in address order: a block has the colour of its call site, pale is free, hatched waits for a stream")
	y += mapHead
	for i := range p.spots {
		p.segment(c, &p.spots[i], float64(y+p.spots[i].row*rowHeight))
	}
	if p.hidden > 0 {
		c.text(mapLeft, float64(y+p.rows*rowHeight+10), dimColour, "", fmt.Sprintf("… and %d smaller segments", p.hidden))
	}
}

func (p *panel) segment(c *canvas, at *spot, y float64) {
	g, left := at.segment, mapLeft+at.x
	about := describe(g)
	c.rect(left, y, at.width, barHeight, freeColour, fmt.Sprintf("segment at %#x: %s, %v in use", g.Address, about, gpumem.Bytes(g.Active)))
	for i := range g.Blocks {
		b := &g.Blocks[i]
		w := float64(b.Size) * p.perByte
		if b.State == memviz.StateInactive || w < minBlock {
			continue // pale, or too small to be seen
		}
		if w > 2 {
			w -= 0.4 // a hair between neighbours
		}
		colour := otherColour
		if band, ok := p.sites.index[profile.StackKey(b.Frames)]; ok {
			colour = p.sites.bands[band]
		}
		tip := fmt.Sprintf("%v at %#x, %s", gpumem.Bytes(b.Size), b.Address, profile.Leaf(b.Frames))
		if b.Tag != "" {
			tip += fmt.Sprintf(", tag %q", b.Tag)
		}
		x := left + float64(b.Address-g.Address)*p.perByte
		c.rect(x, y, w, barHeight, colour, tip)
		if b.State == memviz.StatePendingFree {
			c.rect(x, y, w, barHeight, "url(#wait)", "")
		}
	}
	if fits := int(at.width / 5); len(about) <= fits {
		c.text(left, y+barHeight+9, dimColour, `font-size="9"`, about)
	} else if size := short(g.TotalSize); len(size) <= fits {
		c.text(left, y+barHeight+9, dimColour, `font-size="9"`, size)
	}
}

// describe says what is special about a segment.
func describe(g *memviz.Segment) string {
	s := short(g.TotalSize)
	if g.SegmentType == "small" {
		s += ", small pool"
	}
	if g.Expandable {
		s += ", mapped"
	}
	if g.PoolID != [2]int{} {
		s += fmt.Sprintf(", private pool %d", g.PoolID[1])
	}
	if g.Stream != 0 {
		s += fmt.Sprintf(", stream %#x", g.Stream)
	}
	return s
}
