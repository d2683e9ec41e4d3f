// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// Live returns what was held over the first run of each package whose tests
// held anything, sorted by package.
func (c *Case) Live() []output.LiveChart {
	var list []output.LiveChart
	for _, d := range c.plain() {
		if chart := c.chart(d); len(chart.Series) > 0 {
			list = append(list, chart)
		}
	}
	slices.SortStableFunc(list, func(a, b output.LiveChart) int { return strings.Compare(a.Title, b.Title) })
	return list
}

// chart lays the tests of a run out one after the other.
func (c *Case) chart(d *digest) output.LiveChart {
	chart := output.LiveChart{Title: d.Package}
	bySite := map[string][]output.LivePoint{}
	base := map[string]int{} // what earlier tests have left behind
	for _, t := range d.tests {
		if len(t.History) == 0 || t.process != d.tests[0].process {
			continue // acquired nothing, or by another clock
		}
		chart.Marks = append(chart.Marks, output.LiveMark{Name: t.Test, From: float64(t.From), To: float64(t.To + 1)})
		chart.Length = max(chart.Length, float64(t.To+1)) // the last event shows too
		sums := map[string][][2]int{}                     // several stacks may end in one line
		for _, h := range t.History {
			if site := t.site(h.Site); site != nil && len(h.Points) > 0 {
				name := c.siteName(site.Stack)
				sums[name] = add(sums[name], h.Points)
			}
		}
		for name, points := range sums {
			for _, p := range points {
				bySite[name] = append(bySite[name], output.LivePoint{X: float64(p[0]), Count: base[name] + p[1]})
			}
			base[name] += points[len(points)-1][1]
		}
	}
	names := slices.Collect(maps.Keys(bySite))
	slices.Sort(names)
	for _, name := range names {
		points := bySite[name]
		slices.SortStableFunc(points, func(a, b output.LivePoint) int { return cmp.Compare(a.X, b.X) })
		chart.Series = append(chart.Series, output.LiveSeries{Site: name, Points: points})
	}
	return chart
}

// siteName is where the user's code acquires.
func (c *Case) siteName(stack []track.Frame) string {
	i := c.userFrame(stack)
	if i < 0 {
		return "a place unknown"
	}
	return fmt.Sprintf("%s:%d", c.o.Rel(stack[i].File), stack[i].Line)
}
