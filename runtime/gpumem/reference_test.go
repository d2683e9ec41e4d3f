// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "sync"

// reference is PyTorch's allocator as a structure, in Go: one lock a device,
// one ordered tree of free blocks with a node for each, a set of active
// blocks, a map from address to block behind 67 locks, and arrays of
// statistics that are walked with a filter. It serves the benchmarks as the
// yardstick of the same run; the segments come from nowhere.
type reference struct {
	mu     sync.Mutex
	small  refTree
	large  refTree
	active map[*refBlock]struct{}
	shards [67]struct {
		mu     sync.Mutex
		blocks map[Ptr]*refBlock
	}
	stats [5][3]Stat
	next  Ptr
}

type refBlock struct {
	stream     StreamHandle
	uses       []StreamHandle
	size, req  int64
	addr       Ptr
	pool       *refTree
	held       bool
	prev, next *refBlock
}

func newReference() *reference {
	r := &reference{active: map[*refBlock]struct{}{}, next: 0x7f0000000000}
	for i := range r.shards {
		r.shards[i].blocks = map[Ptr]*refBlock{}
	}
	return r
}

// count walks the statistics as the original does: three kinds, those that the
// filter selects.
func (r *reference) count(stats []int, pool *refTree, sign int64, amounts ...int64) {
	kinds := [3]bool{true, pool == &r.small, pool == &r.large}
	for i, s := range stats {
		for k, on := range kinds {
			if on {
				r.stats[s][k].add(sign * amounts[i])
			}
		}
	}
}

func (r *reference) malloc(n int64, stream StreamHandle) Ptr {
	r.mu.Lock()
	size := roundUp(max(n, 1), minBlock)
	pool := &r.large
	if size <= smallMax {
		pool = &r.small
	}
	b := pool.lowerBound(stream, size)
	if b != nil {
		pool.remove(b)
	} else {
		segment := (&Conf{LargeSegmentSize: 20 * mib}).segmentSize(size)
		b = &refBlock{stream: stream, size: segment, addr: r.next, pool: pool}
		r.next += Ptr(segment)
	}
	if rest := b.size - size; rest >= minBlock && pool == &r.small || rest > smallMax {
		left := &refBlock{stream: stream, size: size, addr: b.addr, pool: pool, prev: b.prev, next: b}
		if left.prev != nil {
			left.prev.next = left
		}
		b.prev = left
		b.addr += Ptr(size)
		b.size -= size
		pool.insert(b)
		b = left
	}
	b.held, b.req = true, n
	r.active[b] = struct{}{}
	r.count([]int{0, 1, 2, 3, 4}, pool, 1, 1, b.size, 1, b.size, n)
	r.mu.Unlock()
	s := &r.shards[refShard(b.addr)]
	s.mu.Lock()
	s.blocks[b.addr] = b
	s.mu.Unlock()
	return b.addr
}

func (r *reference) free(p Ptr) {
	s := &r.shards[refShard(p)]
	s.mu.Lock()
	b := s.blocks[p]
	delete(s.blocks, p)
	s.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	b.held = false
	size := b.size
	r.count([]int{0, 1}, b.pool, -1, 1, size)
	if n := b.next; n != nil && !n.held && len(n.uses) == 0 {
		b.pool.remove(n)
		b.size += n.size
		if b.next = n.next; n.next != nil {
			n.next.prev = b
		}
	}
	if n := b.prev; n != nil && !n.held && len(n.uses) == 0 {
		b.pool.remove(n)
		b.size += n.size
		b.addr = n.addr
		if b.prev = n.prev; n.prev != nil {
			n.prev.next = b
		}
	}
	delete(r.active, b)
	b.pool.insert(b)
	r.count([]int{2, 3, 4}, b.pool, -1, 1, size, b.req)
}

// refShard spreads addresses over the 67 locks.
func refShard(p Ptr) uint64 {
	h := uint64(p)
	h = ^h + h<<21
	h ^= h >> 24
	h *= 265
	h ^= h >> 14
	h *= 21
	return (h ^ h>>28) % 67
}

// refTree is an ordered set by (stream, size, address) with a node for each
// element: a treap, which is as deep as a red-black tree within a small factor.
type refTree struct{ root *refNode }

type refNode struct {
	b           *refBlock
	prio        uint32
	left, right *refNode
}

func refLess(a, b *refBlock) bool {
	if a.stream != b.stream {
		return a.stream < b.stream
	}
	if a.size != b.size {
		return a.size < b.size
	}
	return a.addr < b.addr
}

func (t *refTree) lowerBound(stream StreamHandle, size int64) *refBlock {
	key := refBlock{stream: stream, size: size}
	var best *refBlock
	for n := t.root; n != nil; {
		if refLess(n.b, &key) {
			n = n.right
		} else {
			best, n = n.b, n.left
		}
	}
	if best == nil || best.stream != stream {
		return nil
	}
	return best
}

func (t *refTree) insert(b *refBlock) {
	node := &refNode{b: b, prio: priority(b.addr)}
	at := &t.root
	for *at != nil && (*at).prio >= node.prio {
		if refLess(b, (*at).b) {
			at = &(*at).left
		} else {
			at = &(*at).right
		}
	}
	refSplit(*at, b, &node.left, &node.right)
	*at = node
}

func refSplit(n *refNode, b *refBlock, left, right **refNode) {
	for n != nil {
		if refLess(n.b, b) {
			*left = n
			left, n = &n.right, n.right
		} else {
			*right = n
			right, n = &n.left, n.left
		}
	}
	*left, *right = nil, nil
}

func (t *refTree) remove(b *refBlock) {
	at := &t.root
	for (*at).b != b {
		if refLess(b, (*at).b) {
			at = &(*at).left
		} else {
			at = &(*at).right
		}
	}
	left, right := (*at).left, (*at).right
	for left != nil && right != nil {
		if left.prio > right.prio {
			*at = left
			at, left = &left.right, left.right
		} else {
			*at = right
			at, right = &right.left, right.left
		}
	}
	if left == nil {
		left = right
	}
	*at = left
}
