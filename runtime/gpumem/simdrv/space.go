// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package simdrv

import (
	"cmp"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// space is a range of addresses that is given out first fit.
type space struct {
	gaps  []gap // free, by address
	taken map[gpumem.Ptr]int64
}

type gap struct {
	at   gpumem.Ptr
	size int64
}

func (s *space) init(at gpumem.Ptr, size int64) {
	s.gaps = []gap{{at, size}}
	s.taken = map[gpumem.Ptr]int64{}
}

// take gives the lowest run of size bytes.
func (s *space) take(size int64) (gpumem.Ptr, bool) {
	for i, g := range s.gaps {
		if g.size < size {
			continue
		}
		if g.size == size {
			s.gaps = slices.Delete(s.gaps, i, i+1)
		} else {
			s.gaps[i] = gap{g.at + gpumem.Ptr(size), g.size - size}
		}
		s.taken[g.at] = size
		return g.at, true
	}
	return 0, false
}

// give takes a run back and says how long it was.
func (s *space) give(p gpumem.Ptr) (int64, bool) {
	size, ok := s.taken[p]
	if !ok {
		return 0, false
	}
	delete(s.taken, p)
	i, _ := slices.BinarySearchFunc(s.gaps, p, func(g gap, p gpumem.Ptr) int { return cmp.Compare(g.at, p) })
	s.gaps = slices.Insert(s.gaps, i, gap{p, size})
	if i+1 < len(s.gaps) && s.gaps[i].at+gpumem.Ptr(s.gaps[i].size) == s.gaps[i+1].at {
		s.gaps[i].size += s.gaps[i+1].size
		s.gaps = slices.Delete(s.gaps, i+1, i+2)
	}
	if i > 0 && s.gaps[i-1].at+gpumem.Ptr(s.gaps[i-1].size) == s.gaps[i].at {
		s.gaps[i-1].size += s.gaps[i].size
		s.gaps = slices.Delete(s.gaps, i, i+1)
	}
	return size, true
}

// largest is the size of the longest free run.
func (s *space) largest() int64 {
	n := int64(0)
	for _, g := range s.gaps {
		n = max(n, g.size)
	}
	return n
}
