// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// draw draws the stacked curve with its axes; y is the plot's upper edge.
func (t *timeline) draw(c *canvas, y int) {
	step := niceBytes(t.top)
	limit := (t.top + step - 1) / step * step
	if limit == 0 {
		limit = 1
	}
	bottom := float64(y + plotHeight)
	yOf := func(bytes int64) float64 { return bottom - float64(bytes)/float64(limit)*plotHeight }
	xOf := func(x int64) float64 { return plotLeft + float64(x-t.from)/float64(t.to-t.from)*plotWidth }

	for v := int64(0); v <= limit; v += step {
		c.line(plotLeft, yOf(v), plotLeft+plotWidth, yOf(v), "#dfe4e7", `stroke-width="1"`)
		c.text(plotLeft-8, yOf(v)+4, dimColour, `text-anchor="end"`, short(v))
	}
	below := make([]int64, len(t.columns))
	for band := range t.sites.bands {
		if path := t.band(band, below, xOf, yOf); path != "" {
			c.put(`<path d="%s" fill="%s"/>`, path, t.sites.bands[band])
		}
	}
	c.put(`<path d="%s" fill="none" stroke="%s" stroke-width="1.3"/>`, t.reservedPath(xOf, yOf), inkColour)
	t.xAxis(c, bottom, xOf)
	t.marks(c, float64(y), bottom, xOf, yOf)
}

// band is the outline of one site's area: along its upper edge and back along
// the lower one. below is raised to the upper edge. The values are steps: a
// moment lasts until the next.
func (t *timeline) band(band int, below []int64, xOf func(int64) float64, yOf func(int64) float64) string {
	any := false
	var up, down strings.Builder
	backs := make([]string, 0, len(t.columns))
	for i, col := range t.columns {
		v := col.bands[band]
		any = any || v > 0
		x, next := xOf(col.x), xOf(t.to)
		if i+1 < len(t.columns) {
			next = xOf(t.columns[i+1].x)
		}
		verb := "L"
		if i == 0 {
			verb = "M"
		}
		fmt.Fprintf(&up, "%s%s %sH%s", verb, px(x), px(yOf(below[i]+v)), px(next))
		backs = append(backs, fmt.Sprintf("L%s %sH%s", px(next), px(yOf(below[i])), px(x)))
		below[i] += v
	}
	if !any {
		return ""
	}
	for i := len(backs) - 1; i >= 0; i-- {
		down.WriteString(backs[i])
	}
	return up.String() + down.String() + "Z"
}

func (t *timeline) reservedPath(xOf func(int64) float64, yOf func(int64) float64) string {
	var b strings.Builder
	for i, col := range t.columns {
		if i == 0 {
			fmt.Fprintf(&b, "M%s %s", px(xOf(col.x)), px(yOf(col.reserved)))
			continue
		}
		if col.reserved != t.columns[i-1].reserved {
			fmt.Fprintf(&b, "H%sV%s", px(xOf(col.x)), px(yOf(col.reserved)))
		}
	}
	fmt.Fprintf(&b, "H%s", px(plotLeft+plotWidth))
	return b.String()
}

func (t *timeline) xAxis(c *canvas, bottom float64, xOf func(int64) float64) {
	c.line(plotLeft, bottom, plotLeft+plotWidth, bottom, inkColour, `stroke-width="1"`)
	unit, name := int64(1), "events"
	if t.byTime {
		unit, name = timeUnit(t.to - t.from)
	}
	span := t.to - t.from
	step := niceDecimal(span/unit, 6) * unit
	for v := int64(0); v <= span; v += step {
		x := xOf(t.from + v)
		c.line(x, bottom, x, bottom+4, inkColour, `stroke-width="1"`)
		c.text(x, bottom+16, dimColour, `text-anchor="middle"`, fmt.Sprint(v/unit))
	}
	c.text(plotLeft+plotWidth, bottom+32, dimColour, `text-anchor="end"`, name)
	c.line(plotLeft, bottom+28, plotLeft+18, bottom+28, inkColour, `stroke-width="1.3"`)
	c.text(plotLeft+24, bottom+32, dimColour, "", "reserved from the driver")
}

// marks draws the peak and the failed allocations.
func (t *timeline) marks(c *canvas, top, bottom float64, xOf func(int64) float64, yOf func(int64) float64) {
	if t.peak.sum > 0 {
		x, y := xOf(t.peak.x), yOf(t.peak.sum)
		anchor, dx := side(x)
		c.line(x, y, x, bottom, inkColour, `stroke-width="1" stroke-dasharray="3 3"`)
		c.put(`<circle cx="%s" cy="%s" r="3" fill="%s"/>`, px(x), px(y), inkColour)
		c.put(`<text x="%s" y="%s" fill="%s" text-anchor="%s" font-weight="600" stroke="#ffffff" stroke-width="3" paint-order="stroke">peak %s</text>`,
			px(x+dx), px(max(y-6, top+22)), inkColour, anchor, gpumem.Bytes(t.peak.sum))
	}
	for i, oom := range t.ooms {
		if i == 20 {
			break // enough red
		}
		x := xOf(oom)
		c.line(x, top, x, bottom, alertColour, `stroke-width="1"`)
		if i == 0 {
			anchor, dx := side(x)
			c.text(x+dx, top+10, alertColour, `stroke="#ffffff" stroke-width="3" paint-order="stroke" text-anchor="`+anchor+`"`, "out of memory")
		}
	}
}

// side says on which side of x a label has more room.
func side(x float64) (anchor string, dx float64) {
	if x > plotLeft+plotWidth/2 {
		return "end", -6
	}
	return "start", 6
}

// niceBytes gives a step that divides top into 3 to 6 parts of round binary
// size.
func niceBytes(top int64) int64 {
	step := int64(1)
	for top/step > 6 {
		if top/(step*2) <= 6 {
			return step * 2
		}
		step *= 4
	}
	return step
}

// niceDecimal gives a step of 1, 2 or 5 times a power of ten that divides span
// into at most parts.
func niceDecimal(span, parts int64) int64 {
	for step := int64(1); ; step *= 10 {
		for _, m := range []int64{1, 2, 5} {
			if span/(step*m) <= parts {
				return step * m
			}
		}
	}
}

func timeUnit(us int64) (unit int64, name string) {
	switch {
	case us >= 10_000_000:
		return 1_000_000, "seconds"
	case us >= 10_000:
		return 1000, "milliseconds"
	}
	return 1, "microseconds"
}

// short is a size on an axis: steps are powers of two, so no digits are lost
// that matter.
func short(v int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	f, i := float64(v), 0
	for f >= 1024 && i < len(units)-1 {
		f /= 1024
		i++
	}
	return fmt.Sprintf("%.4g %s", f, units[i])
}
