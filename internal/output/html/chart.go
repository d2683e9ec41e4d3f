// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/output"
)

// The measures of a chart, in its own units: pixels at full width.
const (
	chartWidth  = 960
	chartHeight = 240
	chartLeft   = 44
	chartRight  = 12
	chartTop    = 26
	chartBottom = 24

	maxSeries = 8   // colours that can be told apart; the rest is summed up
	maxSteps  = 600 // points of an outline: more than there are pixels to see
	minLabel  = 60  // how wide a test must be for its name to fit
)

// chart is a stack of areas: how many resources of each site were held.
type chart struct {
	ID            string
	Title         string
	Width, Height int
	Left, Right   int
	Top, Bottom   int // of the plot
	Areas         []area
	Lines         []gridLine
	Bands         []band
	Text          string // for those who cannot see it
}

type area struct {
	Site      string
	Class     string
	Path      string
	Peak, End int
}

type gridLine struct {
	Y, TextY int
	Label    string
}

type band struct {
	X, Width int
	Name     string // of the test
	Label    string // the name if there is room
	LabelX   int
}

func newChart(c *output.LiveChart, i int) chart {
	v := chart{
		ID: fmt.Sprintf("live%d", i+1), Title: c.Title, Width: chartWidth, Height: chartHeight,
		Left: chartLeft, Right: chartWidth - chartRight, Top: chartTop, Bottom: chartHeight - chartBottom,
	}
	series := topSeries(c.Series)
	all := moments(series)
	totals := make([]int, len(all))
	for s := range series {
		for k, n := range countsAt(series[s].Points, all) {
			totals[k] += n
		}
	}
	peak := slices.Max(totals)
	xs := thin(all, totals, c.Length)
	tops := make([][]int, len(series))
	sums := make([]int, len(xs)) // the top of the stack so far
	for s := range series {
		for k, n := range countsAt(series[s].Points, xs) {
			sums[k] += n
		}
		tops[s] = slices.Clone(sums)
	}
	scale := newScale(c.Length, peak)
	below := make([]int, len(xs))
	for s := range series {
		counts := make([]int, len(xs))
		for k := range xs {
			counts[k] = tops[s][k] - below[k]
		}
		v.Areas = append(v.Areas, area{
			Site: series[s].Site, Class: colour(series[s].Site, s), Peak: peakOf(series[s]),
			End: last(counts), Path: outline(scale, xs, tops[s], below, c.Length),
		})
		below = tops[s]
	}
	for n := 0; n <= scale.top; n += scale.step {
		y := scale.y(n)
		v.Lines = append(v.Lines, gridLine{Y: y, TextY: y + 4, Label: fmt.Sprint(n)})
	}
	v.Bands = bands(c.Marks, scale)
	v.Text = fmt.Sprintf("at most %d held at a time, %d at the end", peak, last(sums))
	return v
}

const others = "other sites"

// colour picks the class of a series' colour.
func colour(site string, i int) string {
	if site == others {
		return "a-rest"
	}
	return fmt.Sprintf("a%d", i)
}

// topSeries returns the series with the highest peaks and the sum of the others.
func topSeries(all []output.LiveSeries) []output.LiveSeries {
	list := slices.Clone(all)
	slices.SortStableFunc(list, func(a, b output.LiveSeries) int {
		return cmp.Or(peakOf(b)-peakOf(a), strings.Compare(a.Site, b.Site))
	})
	if len(list) <= maxSeries {
		return list
	}
	rest := list[maxSeries:]
	var xs []float64
	for _, s := range rest {
		for _, p := range s.Points {
			xs = append(xs, p.X)
		}
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	sum := output.LiveSeries{Site: others, Points: make([]output.LivePoint, len(xs))}
	for i, x := range xs {
		sum.Points[i].X = x
	}
	for _, s := range rest {
		for i, n := range countsAt(s.Points, xs) {
			sum.Points[i].Count += n
		}
	}
	return append(slices.Clone(list[:maxSeries]), sum)
}

func peakOf(s output.LiveSeries) int {
	peak := 0
	for _, p := range s.Points {
		peak = max(peak, p.Count)
	}
	return peak
}

// moments returns the places of x at which anything changes, and the start.
func moments(series []output.LiveSeries) []float64 {
	xs := []float64{0}
	for _, s := range series {
		for _, p := range s.Points {
			xs = append(xs, p.X)
		}
	}
	slices.Sort(xs)
	return slices.Compact(xs)
}

// thin keeps as many moments as can be seen. Of all that fall on one column of
// pixels these are the one with the most held, so that no peak is lost, and
// the last, which is what the next column starts from.
func thin(xs []float64, totals []int, length float64) []float64 {
	if len(xs) <= maxSteps {
		return xs
	}
	column := func(i int) int { return int(xs[i] / max(length, 1) * maxSteps / 2) }
	var kept []float64
	for i := 0; i < len(xs); {
		top, j := i, i
		for ; j < len(xs) && column(j) == column(i); j++ {
			if totals[j] > totals[top] {
				top = j
			}
		}
		kept = append(kept, xs[top])
		if top != j-1 {
			kept = append(kept, xs[j-1])
		}
		i = j
	}
	return kept
}

// countsAt reads a step function at rising places.
func countsAt(points []output.LivePoint, xs []float64) []int {
	counts := make([]int, len(xs))
	i, now := 0, 0
	for k, x := range xs {
		for i < len(points) && points[i].X <= x {
			now = points[i].Count
			i++
		}
		counts[k] = now
	}
	return counts
}

func last(list []int) int {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1]
}

// scale maps events and counts to the drawing.
type scale struct {
	length    float64
	top, step int
}

// newScale rounds the peak up to a handful of whole grid lines.
func newScale(length float64, peak int) scale {
	step := niceStep(peak)
	return scale{length: max(length, 1), top: (max(peak, 1) + step - 1) / step * step, step: step}
}

// niceStep is the least of 1, 2, 5, 10, 20 … that needs at most five lines.
func niceStep(peak int) int {
	for base := 1; ; base *= 10 {
		for _, f := range []int{1, 2, 5} {
			if f*base*5 >= peak {
				return f * base
			}
		}
	}
}

func (s scale) x(v float64) int {
	return chartLeft + int(v/s.length*(chartWidth-chartLeft-chartRight)+0.5)
}

func (s scale) y(n int) int {
	return chartHeight - chartBottom - n*(chartHeight-chartTop-chartBottom)/s.top
}

// outline runs along the top from left to right and back along the bottom.
func outline(s scale, xs []float64, top, bottom []int, end float64) string {
	if len(xs) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "M%d %d", s.x(xs[0]), s.y(top[0]))
	for i := 1; i < len(xs); i++ {
		if top[i] != top[i-1] {
			fmt.Fprintf(&b, "H%dV%d", s.x(xs[i]), s.y(top[i]))
		}
	}
	fmt.Fprintf(&b, "H%dV%d", s.x(end), s.y(last(bottom)))
	for i := len(xs) - 1; i > 0; i-- {
		if bottom[i] != bottom[i-1] {
			fmt.Fprintf(&b, "H%dV%d", s.x(xs[i]), s.y(bottom[i-1]))
		}
	}
	fmt.Fprintf(&b, "H%dZ", s.x(xs[0]))
	return b.String()
}

// bands shows which stretch belongs to which test. Where tests overlap, as
// parallel ones do, so do the bands.
func bands(marks []output.LiveMark, s scale) []band {
	var list []band
	for _, m := range marks {
		b := band{X: s.x(m.From), Name: m.Name}
		b.Width = max(s.x(m.To)-b.X, 1)
		if b.Width >= minLabel {
			b.Label, b.LabelX = m.Name, b.X+4
			if fits := b.Width / 7; len(b.Label) > fits { // 7 pixels a letter
				b.Label = cutAt(b.Label, fits-1) + "…"
			}
		}
		list = append(list, b)
	}
	return list
}
