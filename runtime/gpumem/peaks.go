// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "sync"

// peakSum holds the peaks of the sums over all heaps.
//
// A counter that all goroutines add to would serialise them, so each heap
// counts for itself and has marks: it may rise up to them without telling
// anybody. The marks of all heaps add up to at most the known peak, so a new
// peak cannot pass unseen; whoever passes a mark sums up and deals the room
// that is left out again. Peaks are exact for one goroutine, whatever number
// of streams it uses. Where goroutines race, a peak that is gone before
// somebody has summed up may be missed, as if the racing calls had come in
// another order; and heaps that were found to race sum up less often for a
// while, because it stops all of them.
type peakSum struct {
	mu     sync.Mutex
	peak   table // since the last fold; of several heaps
	outer  table // of all folds before
	phases []*Phase
}

// fold closes an epoch of the peaks, which begins or ends a phase: what was the
// peak since the last fold goes to all open phases and to the device, and the
// next epoch begins at the current values. peaks.mu is held. It returns the
// active bytes and the allocations so far.
func (d *Device) fold() (active, allocs int64) {
	d.heapMu.Lock()
	defer d.heapMu.Unlock()
	epoch := d.epoch()
	reserved := d.acct.foldReserved()
	d.peaks.outer.raise(epoch)
	for _, p := range d.peaks.phases {
		p.peak = max(p.peak, epoch[kindAll][colActiveB])
		p.reserved = max(p.reserved, reserved)
	}
	d.peaks.peak = table{}
	d.deal()
	for _, h := range d.order {
		h.mu.Lock()
		cur, gone := h.c.current(), h.c.gone()
		h.mu.Unlock()
		active += cur[kindAll][colActiveB]
		allocs += cur[kindAll][colCount] + gone[kindAll][colCount]
	}
	return active, allocs
}

// epoch is the peak since the last fold; peaks.mu and heapMu are held.
func (d *Device) epoch() table {
	if d.multi.Load() {
		d.deal()
		return d.peaks.peak
	}
	h := d.order[0]
	h.mu.Lock()
	defer h.mu.Unlock()
	h.c.raise()
	return h.c.mark
}

// goMulti is called, with peaks.mu and heapMu held, when a further heap
// appears: until the second, the only heap's marks are the peaks.
func (d *Device) goMulti() {
	if d.multi.Load() {
		d.deal() // a new heap takes part from now on
		return
	}
	d.multi.Store(true)
	for _, h := range d.order {
		h.mu.Lock()
		h.c.raise()
		d.peaks.peak.raise(h.c.mark)
		h.mu.Unlock()
	}
	d.deal()
}

// quietAfterRace is how many marks a heap may pass unseen after it was found to
// race with others. Reading or resetting the statistics, and phases, end that.
const quietAfterRace = 512

// checkPeaks is called when h passed a mark.
func (d *Device) checkPeaks(h *heap) {
	raced := !d.peaks.mu.TryLock()
	if !raced {
		d.heapMu.Lock()
		raced = d.deal()
		d.heapMu.Unlock()
		d.peaks.mu.Unlock()
	}
	if raced {
		h.mu.Lock()
		h.quiet = quietAfterRace
		h.mu.Unlock()
	}
}

// deal sums up, raises the peaks and gives each heap its share of the room
// below them; peaks.mu and heapMu are held. It reports whether a heap was in
// use by somebody else.
func (d *Device) deal() (raced bool) {
	var sum table
	for _, h := range d.order {
		if !h.mu.TryLock() {
			raced = true
			h.mu.Lock()
		}
		sum.add(h.c.current())
		h.mu.Unlock()
	}
	d.peaks.peak.raise(sum)
	n := int64(len(d.order))
	var room table
	for k := range sum {
		for i := range sum[k] {
			room[k][i] = (d.peaks.peak[k][i] - sum[k][i]) / n
		}
	}
	for _, h := range d.order {
		h.mu.Lock()
		h.c.mark = h.c.current()
		h.c.mark.add(room)
		if !raced {
			h.quiet = 0
		}
		h.mu.Unlock()
	}
	return raced
}
