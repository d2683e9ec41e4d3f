// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package html

import "fmt"

// The measures of the drawing beside the lines, in pixels. lineHeight is also
// in the style sheet, as --line.
const (
	lineHeight = 22
	gutter     = 44
	dotX       = 30
	dotR       = 8
	laneX      = 8 // where ways back upwards run
)

// drawing is the path of a figure as SVG.
type drawing struct {
	Width, Height int
	Ways          []string // path data
	Dots          []dot
	Text          string // for those who cannot see it
}

type dot struct {
	X, Y, TextY int
	Label       string
	Class       string // first, last or empty
}

// draw connects the stops on the rows in the order of their numbers. A way
// down runs straight, a way back up, as in a loop, runs around the left:
//
//	╭─ ① x, err := New()      acquired
//	│  │
//	│  ② if bad {             the loop goes on
//	╰──╯
//
// Stops on one line share one dot, labelled "1–2".
func draw(rows []row) drawing {
	d := drawing{Width: gutter, Height: lineHeight * len(rows)}
	type stop struct{ n, y int }
	var stops []stop
	for i, r := range rows {
		if len(r.Marks) == 0 {
			continue
		}
		y := i*lineHeight + lineHeight/2
		first, last := r.Marks[0], r.Marks[len(r.Marks)-1]
		o := dot{X: dotX, Y: y, TextY: y + 4, Label: label(r.Marks)}
		if first.N == 1 {
			o.Class = "first"
		}
		if last.Last {
			o.Class = "last"
		}
		d.Dots = append(d.Dots, o)
		for _, m := range r.Marks {
			stops = append(stops, stop{m.N, y})
		}
	}
	// By number: the order of execution, not of lines.
	for i := range stops {
		for j := i; j > 0 && stops[j].n < stops[j-1].n; j-- {
			stops[j], stops[j-1] = stops[j-1], stops[j]
		}
	}
	for i := 1; i < len(stops); i++ {
		a, b := stops[i-1], stops[i]
		switch {
		case b.n != a.n+1:
			continue // the path is in another file between the two
		case b.y > a.y:
			d.Ways = append(d.Ways, fmt.Sprintf("M%d %dV%d%s", dotX, a.y+dotR, b.y-dotR-1, arrowDown))
		case b.y < a.y:
			d.Ways = append(d.Ways, fmt.Sprintf("M%d %dH%dQ%d %d %d %dV%dQ%d %d %d %dH%d%s",
				dotX-dotR, a.y, laneX+6, laneX, a.y, laneX, a.y-6, b.y+6, laneX, b.y, laneX+6, b.y, dotX-dotR-1, arrowRight))
		}
	}
	d.Text = fmt.Sprintf("path over %d marked lines", len(d.Dots))
	return d
}

// Heads of arrows, from their tip.
const (
	arrowDown  = "m-4-5l4 5l4-5"
	arrowRight = "m-5-4l5 4l-5 4"
)

func label(marks []mark) string {
	first, last := marks[0].N, marks[len(marks)-1].N
	if first == last {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d–%d", first, last)
}
