// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// growth looks for a loop in which more and more is held: a straight line over
// its iterations. With own, only loops around the acquisition in its own file
// count, as for a release that is deferred in the loop.
func (s *seen) growth(own bool) *output.Proof {
	short := false
	for _, d := range s.c.plain() {
		for _, t := range d.tests {
			if t.Failed {
				continue
			}
			for i := range t.Loops {
				loop := &t.Loops[i]
				if own && (loop.File != s.claim.acquired.file || loop.Line > s.claim.acquired.from) {
					continue // another loop, such as one of the test
				}
				points := s.points(t, loop)
				slope, ok := straight(points)
				if ok {
					return s.confirm(Test{d.Package, t.Test}, "", "held more and more over %d iterations of the loop at %s: %s a turn",
						loop.Iterations, s.place(Place{loop.File, loop.Line}), slopeWords(slope))
				}
				if n := len(points); n > 0 && n < minPoints {
					short = true
				}
			}
		}
	}
	switch {
	case short:
		s.why = fmt.Sprintf("no test goes round the loop often enough to tell growth: it takes %d turns", minPoints)
	case s.tests > 0:
		s.why = fmt.Sprintf("%s acquired %d at %s, and the number held did not grow with the turns of a loop", count(s.tests, "test"), s.had, s.place(s.claim.Acquired))
	}
	return nil
}

// points sums up what the claim's sites held over the iterations of a loop.
func (s *seen) points(t *testRun, loop *track.Loop) [][2]int {
	var sum [][2]int
	for _, series := range loop.Series {
		site := t.site(series.Site)
		if site == nil || s.claim.acquired.hit(site.Stack) < 0 {
			continue
		}
		points := series.Points
		if len(points) > 0 && points[0][0] > 0 {
			points = append([][2]int{{0, 0}}, points...) // nothing was there yet
		}
		sum = add(sum, points)
	}
	return sum
}

// add sums two step functions at the iterations of both.
func add(a, b [][2]int) [][2]int {
	if len(a) == 0 {
		return b
	}
	var sum [][2]int
	i, j, left, right := 0, 0, 0, 0
	for i < len(a) || j < len(b) {
		x := 0
		switch {
		case j == len(b) || i < len(a) && a[i][0] < b[j][0]:
			x, left = a[i][0], a[i][1]
			i++
		case i == len(a) || b[j][0] < a[i][0]:
			x, right = b[j][0], b[j][1]
			j++
		default:
			x, left, right = a[i][0], a[i][1], b[j][1]
			i++
			j++
		}
		sum = append(sum, [2]int{x, left + right})
	}
	return sum
}

const (
	// minPoints is how many iterations it takes to call it growth: with
	// fewer, filling a pair of buffers looks the same.
	minPoints = 3
	// minFit is how straight the line must be (the squared correlation).
	minFit = 0.9
)

// straight fits a line to counts over iterations. It is growth if the line
// rises, fits, and still rises in the last third: a cache that has filled up
// does not. slope is by iteration.
func straight(points [][2]int) (slope float64, ok bool) {
	n := len(points)
	if n < minPoints {
		return 0, false
	}
	first, last := points[0], points[n-1]
	if last[1]-first[1] < 2 {
		return 0, false // one more may be the one that is in use
	}
	if points[n-1][1] <= points[n-1-max(n/3, 1)][1] {
		return 0, false // has come to rest
	}
	var sx, sy, sxx, sxy, syy float64
	for _, p := range points {
		x, y := float64(p[0]), float64(p[1])
		sx, sy, sxx, sxy, syy = sx+x, sy+y, sxx+x*x, sxy+x*y, syy+y*y
	}
	m := float64(n)
	dx, dy, dxy := m*sxx-sx*sx, m*syy-sy*sy, m*sxy-sx*sy
	if dx <= 0 || dy <= 0 || dxy <= 0 {
		return 0, false
	}
	return dxy / dx, dxy*dxy/(dx*dy) >= minFit
}

func slopeWords(slope float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", slope), "0"), ".") + " more"
}

// minChurn is how often a test must acquire and release at one place to call
// it a habit.
const minChurn = 3

// churn looks for a place where a test acquires and releases over and over.
func (s *seen) churn() *output.Proof {
	for _, d := range s.c.plain() {
		for _, t := range d.tests {
			n := t.count(s.claim.acquired)
			if t.Failed || n.acquired == 0 {
				continue
			}
			if n.released < minChurn {
				s.why = fmt.Sprintf("%s acquires and releases %d at %s, too few to tell", t.Test, n.released, s.place(s.claim.Acquired))
				continue
			}
			return s.confirm(Test{d.Package, t.Test}, "", "%d acquired at %s in %s, and %d of them released again", n.acquired, s.place(s.claim.Acquired), t.Test, n.released)
		}
	}
	return nil
}

// misuse looks for a double release or a use after release, as it happened.
func (s *seen) misuse() *output.Proof {
	for _, d := range s.c.runs {
		if d.Inject != "" && d.Inject != s.claim.inject {
			continue // somebody else's failure
		}
		for i := range d.misuse {
			m := &d.misuse[i]
			if !s.concerns(m) {
				continue
			}
			test := Test{d.Package, top(m.Test)}
			if test.Name == "" {
				test.Name = "a goroutine of no test"
			}
			with := ""
			if d.Inject != "" {
				with = fmt.Sprintf(", with %s failing", s.call())
			}
			return s.confirm(test, m.Test, "%s%s", s.c.misuseWords(m), with)
		}
	}
	return nil
}

// concerns reports whether a misuse is the one that a claim speaks of: it
// happens where the finding stands, or to what the finding says was acquired.
func (s *seen) concerns(m *track.Record) bool {
	switch s.claim.Finding.Rule {
	case "GM401":
		return m.Misuse == track.DoubleRelease && s.claim.inFunc(m.Stack)
	case "GM302", "GM403":
		if m.Misuse != track.DoubleRelease {
			return false
		}
	case "GM301", "GM303":
		if m.Misuse != track.UseAfterRelease {
			return false
		}
	}
	if s.claim.at.hit(m.Stack) >= 0 {
		return true
	}
	return s.claim.acquired.hit(m.Acquire) >= 0 // a deferred release runs on another line
}

// inFunc reports whether a stack goes through the claim's function.
func (cl *claim) inFunc(stack []track.Frame) bool {
	pkg := strings.TrimSuffix(cl.Finding.Package, "_test")
	return slices.ContainsFunc(stack, func(f track.Frame) bool {
		return packageOf(f.Func) == pkg && functionOf(f.Func) == cl.Finding.Function
	})
}

// misuseWords tells what happened to a resource, place by place.
func (c *Case) misuseWords(m *track.Record) string {
	what := "used"
	if m.Misuse == track.DoubleRelease {
		what = "released again"
	}
	return fmt.Sprintf("%s by %s at %s after its release at %s", what, shortCall(m.Call), c.user(m.Stack), c.user(m.Release))
}

// user is the place of a stack in the user's own code.
func (c *Case) user(stack []track.Frame) string {
	if i := c.userFrame(stack); i >= 0 {
		return fmt.Sprintf("%s:%d", c.o.Rel(stack[i].File), stack[i].Line)
	}
	return "a place unknown"
}

// userFrame is the innermost frame of the user's own code, or else the first
// that is outside of the library, or -1 where there is no frame.
func (c *Case) userFrame(stack []track.Frame) int {
	outside := -1
	for i, f := range stack {
		if !f.Library && c.o.Ours(f.File) {
			return i
		}
		if !f.Library && outside < 0 {
			outside = i
		}
	}
	if outside < 0 {
		return len(stack) - 1
	}
	return outside
}

// shortCall is a function as the linter names it: gocv.NewMat, Mat.Close. Names
// of methods come as example.com/gocv.(*Mat).Close or (*example.com/gocv.Mat).Close.
func shortCall(name string) string {
	method := strings.Contains(name, ")")
	name = strings.NewReplacer("(", "", ")", "", "*", "").Replace(name)
	name = name[strings.LastIndexByte(name, '/')+1:]
	if _, rest, ok := strings.Cut(name, "."); method && ok {
		return rest
	}
	return name
}
