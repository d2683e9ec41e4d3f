// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"fmt"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// failure looks for what is held after the call was made to fail, and is not
// held when it works.
func (s *seen) failure() *output.Proof {
	at, id := s.claim.acquired, s.claim.inject
	for _, d := range s.c.runs {
		if d.Inject != id {
			continue
		}
		for _, rec := range d.inject {
			test := Test{d.Package, top(rec.Test)}
			t := d.run(test.Name, 1)
			if t == nil {
				s.why = fmt.Sprintf("%s did not end in order with %s failing", test.Name, s.call())
				if d.Problem != "" {
					s.why += ": " + d.Problem
				}
				continue
			}
			lost := t.countIf(func(site *track.Site) bool { return sameCall(at, site.Stack, rec.Stack) })
			usual := s.c.usual(test, at)
			if d.Hit > 1 && t.Failed && !s.claim.inLoop {
				// Calls before this one have worked, and the test that was
				// stopped may not have come to release what they returned.
				s.why = fmt.Sprintf("with %s failing the %s time, %s stops: what it holds may be its own", s.call(), ordinal(d.Hit), test.Name)
				continue
			}
			if lost.lost() == 0 || t.count(at).lost() <= usual {
				s.why = fmt.Sprintf("with %s failing in %s, what was acquired at %s was released", s.call(), test.Name, s.place(s.claim.Acquired))
				if p := s.claim.probe; p != "" && s.c.noPoint[p] == "" && !t.reaches(p) {
					s.why = fmt.Sprintf("with %s failing, %s does not come to %s", s.call(), test.Name, s.place(Place{s.claim.Finding.Path, s.claim.Finding.Line}))
				} else if lost.acquired == 0 {
					s.why = fmt.Sprintf("with %s failing in %s, nothing was acquired at %s before", s.call(), test.Name, s.place(s.claim.Acquired))
				}
				if usual > 0 && lost.lost() > 0 {
					s.why = fmt.Sprintf("%s holds as much from %s when nothing fails: release it there, and try again", test.Name, s.place(s.claim.Acquired))
				}
				continue
			}
			return s.confirm(test, lost.test, "%s", s.lostWords(lost, test.Name, fmt.Sprintf(", with %s failing", s.call())))
		}
	}
	return nil
}

func ordinal(n int) string {
	switch {
	case n%100/10 != 1 && n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%100/10 != 1 && n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%100/10 != 1 && n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// usual is how many a test loses when nothing is made to fail.
func (c *Case) usual(test Test, at lines) int {
	for _, d := range c.plain() {
		if d.Package == test.Package {
			if t := d.run(test.Name, 1); t != nil {
				return t.count(at).lost()
			}
		}
	}
	return 0
}

// sameCall reports whether a resource was acquired by the same call of the
// claim's function as the one in which the injected failure came: another call,
// which worked, has handed its resource to a test that the failure stopped
// before its clean-up. The frames outside of the function tell them apart:
//
//	device.Alloc   a.go:9           device.Alloc  a.go:9
//	m.newPair      m.go:35          m.newPair     m.go:38   fails
//	m.TestPair     m_test.go:12     m.TestPair    m_test.go:12
func sameCall(at lines, acquired, failed []track.Frame) bool {
	i := at.hit(acquired)
	if i < 0 {
		return false
	}
	fn := baseFunc(acquired[i].Func)
	j := -1
	for k, f := range failed {
		if baseFunc(f.Func) == fn {
			j = k // the outermost frame of the function: literals lie inside
			break
		}
	}
	if j < 0 {
		return true // fails in a goroutine of its own
	}
	for i+1 < len(acquired) && baseFunc(acquired[i+1].Func) == fn {
		i++
	}
	for j+1 < len(failed) && baseFunc(failed[j+1].Func) == fn {
		j++
	}
	for i, j = i+1, j+1; i < len(acquired) && j < len(failed); i, j = i+1, j+1 {
		if acquired[i] != failed[j] {
			return false
		}
	}
	return true
}

// baseFunc is the declared function that a literal stands in: m.f.func1.2 is
// in m.f, as are the wrappers that the compiler makes.
func baseFunc(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	for _, mark := range []string{".func", ".gowrap", ".deferwrap", "-range"} {
		for from := slash; ; {
			i := strings.Index(name[from:], mark)
			if i < 0 {
				break
			}
			end := from + i + len(mark)
			if end < len(name) && name[end] >= '0' && name[end] <= '9' {
				name = name[:from+i]
				break
			}
			from = end
		}
	}
	return name
}
