// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Point is one run of a history: what it reserved against what it cost.
type Point struct {
	Target      float64 // that PolicyBest aimed at; 0 for PolicyPyTorch
	Utilization float64 // peak active over peak reserved bytes
	Calls       int64   // driver calls that got or gave back memory
}

// Series is a history under PolicyBest with rising targets, and under
// PolicyPyTorch for comparison.
type Series struct {
	Name    string
	PyTorch Point
	Best    []Point
}

// Measure runs t for each target.
func Measure(t *Trace, segments Segments, targets []float64) (*Series, error) {
	s := &Series{Name: t.Name}
	run := func(o Options) (Point, error) {
		o.Segments = segments
		r, err := Run(t, o)
		if err != nil {
			return Point{}, err
		}
		return Point{Target: o.Target, Utilization: r.Utilization, Calls: r.DriverAllocs + r.DriverFrees}, nil
	}
	var err error
	if s.PyTorch, err = run(Options{Policy: gpumem.PolicyPyTorch}); err != nil {
		return nil, err
	}
	for _, target := range targets {
		p, err := run(Options{Policy: gpumem.PolicyBest, Target: target})
		if err != nil {
			return nil, err
		}
		s.Best = append(s.Best, p)
	}
	return s, nil
}

// Panel is one plot of a picture.
type Panel struct {
	Title  string
	Series []*Series
}

// The picture's measures in pixels, and the colours of its series.
const (
	panelWidth, panelHeight = 420, 340
	plotLeft, plotTop       = 52, 40
	plotWide, plotHigh      = 340, 220
)

var seriesColours = [...]string{"#0b6e99", "#c4541a", "#3f7d20", "#7b3fa0", "#a8324e", "#5c5c5c"}

// Draw draws utilisation over driver calls as SVG: a line for each history, one
// dot a target, and a ring for PyTorch. Calls are on a logarithmic scale.
func Draw(w io.Writer, panels []Panel) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n",
		panelWidth*len(panels), panelHeight)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n")
	for i, p := range panels {
		fmt.Fprintf(&b, `<g transform="translate(%d 0)">`+"\n", i*panelWidth)
		p.draw(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// bounds are the axes' ends: powers of two for the calls, tenths below.
func (p *Panel) bounds() (low float64, from, to int64) {
	low, from, to = 1, math.MaxInt64, 1
	for _, s := range p.Series {
		for _, q := range append([]Point{s.PyTorch}, s.Best...) {
			low = min(low, math.Floor(q.Utilization*10)/10)
			from, to = min(from, max(q.Calls, 1)), max(to, q.Calls)
		}
	}
	first, last := int64(1), int64(2)
	for 2*first <= from {
		first *= 2
	}
	for last < to || last <= first {
		last *= 2
	}
	return min(low, 0.9), first, last
}

func (p *Panel) draw(b *strings.Builder) {
	low, from, to := p.bounds()
	x := func(calls int64) float64 {
		return plotLeft + plotWide*math.Log(float64(max(calls, 1))/float64(from))/math.Log(float64(to)/float64(from))
	}
	y := func(u float64) float64 { return plotTop + plotHigh*(1-u)/(1-low) }
	fmt.Fprintf(b, `<text x="%d" y="22" font-size="14" font-weight="bold">%s</text>`+"\n", plotLeft, html.EscapeString(p.Title))
	for u := low; u < 1.001; u += 0.1 {
		fmt.Fprintf(b, `<path d="M%d %.1fh%d" stroke="#dfe4e7"/><text x="%d" y="%.1f" text-anchor="end" fill="#5a6b73">%.1f</text>`+"\n",
			plotLeft, y(u), plotWide, plotLeft-6, y(u)+4, u)
	}
	for c := from; c <= to; c *= 2 {
		fmt.Fprintf(b, `<path d="M%.1f %dv%d" stroke="#eef1f2"/><text x="%.1f" y="%d" text-anchor="middle" fill="#5a6b73">%d</text>`+"\n",
			x(c), plotTop, plotHigh, x(c), plotTop+plotHigh+16, c)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" fill="#5a6b73">driver calls over the history</text>`+"\n",
		plotLeft+plotWide/2, plotTop+plotHigh+32)
	for i, s := range p.Series {
		colour := seriesColours[i%len(seriesColours)]
		var line strings.Builder
		for j, q := range s.Best {
			fmt.Fprintf(&line, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[j == 0], x(q.Calls), y(q.Utilization))
		}
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", line.String(), colour)
		for _, q := range s.Best {
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"><title>target %g: %.3f in %d calls</title></circle>`+"\n",
				x(q.Calls), y(q.Utilization), colour, q.Target, q.Utilization, q.Calls)
		}
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="5" fill="#ffffff" stroke="%s" stroke-width="2"><title>PyTorch's policy: %.3f in %d calls</title></circle>`+"\n",
			x(s.PyTorch.Calls), y(s.PyTorch.Utilization), colour, s.PyTorch.Utilization, s.PyTorch.Calls)
		left, row := plotLeft+i%2*170, plotTop+plotHigh+50+i/2*16
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="10" height="10" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n",
			left, row-9, colour, left+15, row, html.EscapeString(s.Name))
	}
}
