// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

// The two kinds of pool; requests up to smallMax live in the small one.
const (
	kindSmall = 0
	kindLarge = 1
	kindAll   = 2 // row of the statistics only
)

// blockState is what a block is at the moment.
type blockState uint8

const (
	stateSpare    blockState = iota // not part of a segment: waits to be used again
	stateFree                       // in its heap's free set
	stateBusy                       // free, but the holder of slow has taken it out of the set
	stateUnmapped                   // address range without memory, in the unmapped list
	stateHeld                       // belongs to the program
	statePending                    // closed, streams may still use it
)

// block is a piece of a segment. Blocks of a segment are linked in address
// order. A block struct stays with its heap for ever, so that a stale handle
// can always be checked under the heap's lock. Everything but heap is guarded
// by that lock.
type block struct {
	// Position in the free set: a treap ordered by (size, addr).
	left, right, up *block
	prio            uint32

	state blockState
	kind  uint8
	addr  Ptr
	size  int64

	heap       *heap
	seg        *segment
	prev, next *block // neighbours in the segment; next links spare blocks

	fence   *fence // work that the memory's next user must wait for
	gcBase  int64  // the pool's search count when the block became free
	id      uint64 // of the allocation; 0 unless held or pending
	req     int64  // bytes that the program asked for
	refs    int32  // the handle, and the views that keep a closed one alive
	closed  bool   // the handle is closed
	pending int32  // outstanding events
	uses    []StreamHandle
	user    StreamHandle // stream it was allocated for; the heap's own unless lent

	// What tracking remembers.
	site SiteID
	tag  string
	born int64 // nanoseconds since the epoch
	step int64
}

// segment is a range that the driver gave, or reserved for mapping.
type segment struct {
	heap   *heap
	kind   uint8
	addr   Ptr
	size   int64
	head   *block // first block
	vmm    bool   // blocks may be unmapped
	page   int64  // bytes of a mapped page, where vmm
	site   SiteID // what made it necessary
	lastOp int64  // heap's operation count when a block of it was last taken
	index  int    // in heap.segs
}

// whole reports whether b is all of its segment.
func (b *block) whole() bool { return b.prev == nil && b.next == nil }

// end is the address after b.
func (b *block) end() Ptr { return b.addr + Ptr(b.size) }

// splitOff cuts b to size bytes and gives the rest as a new free-standing
// block after it.
func (b *block) splitOff(size int64) *block {
	rest := b.heap.newBlock()
	rest.kind, rest.seg = b.kind, b.seg
	rest.addr, rest.size = b.addr+Ptr(size), b.size-size
	rest.state = b.state
	if b.fence != nil {
		rest.fence = b.fence.share()
	}
	rest.prev, rest.next = b, b.next
	if b.next != nil {
		b.next.prev = rest
	}
	b.next = rest
	b.size = size
	return rest
}

// absorb joins b's next neighbour to b. The neighbour is in no set.
func (b *block) absorb() {
	n := b.next
	b.size += n.size
	b.next = n.next
	if n.next != nil {
		n.next.prev = b
	}
	if n.fence != nil {
		b.fence = b.fence.join(n.fence)
		n.fence = nil
	}
	b.heap.recycle(n)
}
