// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "sync"

// history is a ring of the last events. Entries are written into a buffer of
// fixed size, so a long run costs no more memory than a short one.
type history struct {
	mu      sync.Mutex
	ring    []Entry
	next    int   // where the next entry goes
	written int64 // entries ever
}

func newHistory(n int) *history { return &history{ring: make([]Entry, n)} }

func (h *history) add(e Entry) {
	h.mu.Lock()
	h.ring[h.next] = e
	if h.next++; h.next == len(h.ring) {
		h.next = 0
	}
	h.written++
	h.mu.Unlock()
}

// entries copies the ring, oldest first, and says how many are lost.
func (h *history) entries() (out []Entry, dropped int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.written <= int64(len(h.ring)) {
		return append([]Entry(nil), h.ring[:h.next]...), 0
	}
	out = make([]Entry, 0, len(h.ring))
	out = append(out, h.ring[h.next:]...)
	out = append(out, h.ring[:h.next]...)
	return out, h.written - int64(len(h.ring))
}
