// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package svg draws a memory snapshot as one picture: for each device the bytes
// in use over time, stacked by call site, and the map of its segments.
//
// Both parts use one colour a call site, so what makes the curve rise can be
// found in the map. Times are those of the events; a snapshot without times,
// such as a replayed trace, is drawn over the number of events. The same
// snapshot gives the same bytes.
package svg

import (
	"bufio"
	"fmt"
	"html"
	"io"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// Sizes of the picture in pixels.
const (
	width      = 1000
	plotLeft   = 84
	plotWidth  = 600
	plotHeight = 260
	legendLeft = plotLeft + plotWidth + 24
	headHeight = 44
	axisHeight = 46
	mapLeft    = 16
	mapWidth   = width - 2*mapLeft
	mapHead    = 20
	barHeight  = 16
	rowHeight  = barHeight + 14 // a bar and its caption
	segmentGap = 3
	maxRows    = 24  // of the map
	minSegment = 2   // pixels of a segment, and of a block:
	minBlock   = 0.4 // thinner ones are not drawn
	maxColours = 8   // call sites with a colour of their own
)

// palette has a colour for each call site that gets one; they can be told
// apart by people who see no red or no green.
var palette = [maxColours]string{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#b3a200"}

const (
	otherColour = "#9aa0a6"
	freeColour  = "#eceff1"
	inkColour   = "#263238"
	dimColour   = "#607d8b"
	alertColour = "#c62828"
)

// Write draws s. title stands at the top, such as the file's name.
func Write(w io.Writer, s *memviz.Snapshot, title string) error {
	c := &canvas{w: bufio.NewWriter(w)}
	totals := profile.SumDevices(s)
	panels := make([]*panel, len(totals))
	height := 40
	for i, t := range totals {
		panels[i] = newPanel(s, t)
		height += panels[i].height()
	}
	if len(panels) == 0 {
		height += 40
	}
	c.put(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="ui-sans-serif,system-ui,sans-serif" font-size="11">`,
		width, height, width, height)
	c.put(`<defs><pattern id="wait" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="#fff" fill-opacity="0.75"/><rect width="3" height="6" fill="%s"/></pattern></defs>`, dimColour)
	c.put(`<rect width="%d" height="%d" fill="#ffffff"/>`, width, height)
	c.text(16, 26, inkColour, "font-size=\"15\" font-weight=\"600\"", title)
	y := 40
	for _, p := range panels {
		p.draw(c, y)
		y += p.height()
	}
	if len(panels) == 0 {
		c.text(16, 60, dimColour, "", "no device memory is reserved and no event is recorded")
	}
	c.put(`</svg>`)
	return c.w.Flush()
}

// panel is one device's part of the picture.
type panel struct {
	totals  profile.Totals
	sites   *siteColours
	curve   *timeline
	spots   []spot
	rows    int
	perByte float64
	hidden  int // segments that are not drawn
}

func newPanel(s *memviz.Snapshot, t profile.Totals) *panel {
	p := &panel{totals: t}
	w := profile.NewWalk(s, t.Device)
	p.sites = colour(w)
	p.curve = newTimeline(w, p.sites)
	p.spots, p.rows, p.perByte, p.hidden = layout(s, t.Device)
	return p
}

func (p *panel) height() int {
	h := headHeight + p.upper()
	if p.rows > 0 {
		h += mapHead + p.rows*rowHeight
	}
	if p.hidden > 0 {
		h += 18
	}
	return h + 24
}

// upper is the height of the curve and the legend beside it, or of the legend
// alone.
func (p *panel) upper() int {
	if p.curve != nil {
		return plotHeight + axisHeight
	}
	if n := len(p.sites.legend); n > 0 {
		return n*30 + 30
	}
	return 0
}

func (p *panel) draw(c *canvas, y int) {
	t := p.totals
	c.text(16, float64(y+18), inkColour, `font-size="13" font-weight="600"`, fmt.Sprintf("device %d", t.Device))
	c.text(84, float64(y+18), dimColour, "", fmt.Sprintf("%v allocated in %d blocks · %v reserved in %d segments · largest free piece %v · %d events",
		gpumem.Bytes(t.Allocated), t.Blocks, gpumem.Bytes(t.Reserved), t.Segments, gpumem.Bytes(t.LargestFree), t.Events))
	y += headHeight
	if p.curve != nil {
		p.curve.draw(c, y)
		p.legend(c, legendLeft, y)
	} else {
		p.legend(c, plotLeft, y)
	}
	y += p.upper()
	if p.rows > 0 {
		p.segments(c, y)
	}
}

func (p *panel) legend(c *canvas, x, y int) {
	left := float64(x)
	if len(p.sites.legend) == 0 {
		return
	}
	c.text(left, float64(y+8), dimColour, "", "call sites, by bytes at the peak")
	y += 26
	for i, e := range p.sites.legend {
		c.rect(left, float64(y+i*30-8), 12, 12, e.colour, "")
		c.text(left+18, float64(y+i*30+2), inkColour, "", clip(e.name, 42))
		c.text(left+18, float64(y+i*30+14), dimColour, `font-size="10"`, fmt.Sprintf("%v at the peak, %v at the end", gpumem.Bytes(e.peak), gpumem.Bytes(e.end)))
	}
}

// clip shortens a label from the left, where a path is least telling.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "…" + string(r[len(r)-n+1:])
}

// canvas writes elements; the first failed write is reported by Flush.
type canvas struct{ w *bufio.Writer }

func (c *canvas) put(format string, args ...any) { fmt.Fprintf(c.w, format+"\n", args...) }

func (c *canvas) text(x, y float64, colour, attrs, s string) {
	if attrs != "" {
		attrs = " " + attrs
	}
	c.put(`<text x="%s" y="%s" fill="%s"%s>%s</text>`, px(x), px(y), colour, attrs, html.EscapeString(s))
}

func (c *canvas) rect(x, y, w, h float64, colour, tip string) {
	if tip == "" {
		c.put(`<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`, px(x), px(y), px(w), px(h), colour)
		return
	}
	c.put(`<rect x="%s" y="%s" width="%s" height="%s" fill="%s"><title>%s</title></rect>`, px(x), px(y), px(w), px(h), colour, html.EscapeString(tip))
}

func (c *canvas) line(x1, y1, x2, y2 float64, colour, attrs string) {
	c.put(`<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" %s/>`, px(x1), px(y1), px(x2), px(y2), colour, attrs)
}

// px prints a coordinate in as few characters as the eye needs.
func px(v float64) string {
	s := fmt.Sprintf("%.1f", v)
	if len(s) > 2 && s[len(s)-2:] == ".0" {
		return s[:len(s)-2]
	}
	return s
}
