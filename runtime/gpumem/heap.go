// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"sync"
	"sync/atomic"
)

// heap is the memory of one stream in one pool. Streams do not share heaps, so
// goroutines with streams of their own do not share a lock. Its lock is a leaf
// but for the history's and the driver's own: nothing else is locked under it,
// and no driver call that can take long is made.
type heap struct {
	mu     sync.Mutex
	dev    *Device
	stream StreamHandle
	pool   *poolState
	base   uint64                            // high bits of the allocation ids
	spill  atomic.Pointer[[spillHeaps]*heap] // see lockFor
	ended  atomic.Bool                       // the stream was closed, after its work was done
	paged  *heap                             // where blocks of whole pages live, if apart; see best.go

	free     [2]freeSet
	unmapped [2][]*block // by address; only where segments are mapped
	segs     []*segment
	spare    *block
	seq      uint64
	ops      int64
	c        counters
	passed   bool  // a mark was passed and the device has to look
	window   int64 // operation count when waits was last 0; see contended
	waits    int
	quiet    int // marks that may be passed unseen; see checkPeaks
}

// newBlock gives an empty block struct.
func (h *heap) newBlock() *block {
	if b := h.spare; b != nil {
		h.spare, b.next = b.next, nil
		return b
	}
	return &block{heap: h, user: h.stream}
}

// recycle keeps b's struct. Its id is gone, so that stale handles notice; what
// the next owner sets is left as it is.
func (h *heap) recycle(b *block) {
	b.state, b.id = stateSpare, 0
	b.seg, b.prev = nil, nil
	b.fence = nil
	b.next = h.spare
	h.spare = b
}

// alloc serves r from the free set; nil is a miss.
func (h *heap) alloc(r *request) *block {
	if h.dev.countSearches {
		h.pool.searches[r.kind].Add(1)
	}
	b := h.find(r.kind, r.size)
	if b == nil {
		return nil
	}
	h.c.hits++
	h.free[r.kind].remove(b)
	h.own(b, r)
	return b
}

// find gives the free block that the policy chooses for size bytes.
func (h *heap) find(kind uint8, size int64) *block {
	if h.dev.policy == PolicyPyTorch {
		return h.findPyTorch(kind, size)
	}
	return h.findBest(kind, size)
}

// own hands b, which is in no set, to the program and keeps what is too much.
func (h *heap) own(b *block, r *request) {
	wasSplit, over := !b.whole(), false
	if h.dev.shouldSplit(b, r.size) {
		rest := b.splitOff(r.size)
		rest.state = stateFree
		h.insert(rest)
		switch {
		case b.seg.vmm: // whole pages of a mapped segment can always go back
		case wasSplit:
			over = h.c.split(r.kind, 0, -b.size)
		default:
			over = h.c.split(r.kind, 1, rest.size)
		}
	} else if wasSplit && !b.seg.vmm {
		over = h.c.split(r.kind, -1, -b.size)
	}
	h.seq++
	h.ops++
	b.seg.lastOp = h.ops
	b.state = stateHeld
	b.id = h.base | h.seq
	b.req = r.n
	b.refs = 1
	b.closed = false
	b.site, b.tag = r.site, r.tag
	if h.dev.timed {
		b.born, b.step = r.now, h.dev.step.Load()
	}
	if h.c.take(r.kind, b.size, r.n) || over {
		h.pass()
	}
	if b.size >= h.dev.conf.MaxSplitSize {
		h.dev.acct.oversize(1)
	}
	if h.dev.hist != nil {
		h.dev.hist.add(Entry{Action: ActionAlloc, Pool: h.pool.id, Site: r.site, Addr: b.addr, Size: r.n,
			Stream: h.stream, Time: r.now, Tag: r.tag})
	}
}

// pass notes that a mark was passed.
func (h *heap) pass() {
	if h.dev.multi.Load() {
		if h.quiet > 0 {
			h.quiet--
			return
		}
		h.passed = true
		return
	}
	h.c.raise()
}

// insert adds a free block to the set.
func (h *heap) insert(b *block) {
	if h.dev.countSearches {
		b.gcBase = h.pool.searches[b.kind].Load()
	}
	h.free[b.kind].insert(b)
}

// closing counts that b's owner closed it. Its memory is not reusable yet.
func (h *heap) closing(b *block) {
	b.closed = true
	h.c.release(b.kind, b.size)
	if b.size >= h.dev.conf.MaxSplitSize {
		h.dev.acct.oversize(-1)
	}
	if h.dev.hist != nil {
		h.dev.hist.add(Entry{Action: ActionFreeRequested, Pool: h.pool.id, Site: b.site, Addr: b.addr, Size: b.req,
			Stream: h.stream, Time: h.dev.stamp(), Tag: b.tag})
	}
	if w := h.dev.watcher; w != nil {
		w.BlockFree(b.id, b.addr, b.size, b.user, b.uses)
	}
}

// put makes a closed block's memory reusable.
func (h *heap) put(b *block) {
	if h.dev.hist != nil {
		h.dev.hist.add(Entry{Action: ActionFreeCompleted, Pool: h.pool.id, Site: b.site, Addr: b.addr, Size: b.req,
			Stream: h.stream, Time: h.dev.stamp(), Tag: b.tag})
	}
	h.c.retire(b.kind, b.size, b.req)
	b.id, b.req, b.site, b.tag = 0, 0, 0, ""
	b.user = h.stream
	b.uses = b.uses[:0]
	b.state = stateFree
	n, bytes := int64(0), int64(0)
	if next := b.next; next != nil && next.state == stateFree {
		h.free[b.kind].remove(next)
		n, bytes = n-1, bytes-next.size
		b.absorb()
	}
	if prev := b.prev; prev != nil && prev.state == stateFree {
		h.free[b.kind].remove(prev)
		n, bytes = n-1, bytes-prev.size
		prev.absorb()
		b = prev
	}
	h.insert(b)
	if b.seg.vmm {
		return // see own
	}
	if !b.whole() {
		n, bytes = n+1, bytes+b.size
	}
	if h.c.split(b.kind, n, bytes) {
		h.pass()
	}
}

// adopt makes a segment of the heap from memory that the driver gave. Its
// block is in no set.
func (h *heap) adopt(addr Ptr, size int64, kind uint8, site SiteID) *block {
	s := &segment{heap: h, kind: kind, addr: addr, size: size, site: site, index: len(h.segs)}
	b := h.newBlock()
	b.addr, b.size, b.kind, b.seg, b.state = addr, size, kind, s, stateFree
	s.head = b
	h.segs = append(h.segs, s)
	return b
}

// disown forgets a segment whose only block b is in no set.
func (h *heap) disown(b *block) {
	s := b.seg
	last := h.segs[len(h.segs)-1]
	h.segs[s.index], last.index = last, s.index
	h.segs[len(h.segs)-1] = nil
	h.segs = h.segs[:len(h.segs)-1]
	if b.fence != nil {
		b.fence.drop() // the driver's Free waits for the device
	}
	h.recycle(b)
}
