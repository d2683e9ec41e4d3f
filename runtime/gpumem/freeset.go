// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "math/bits"

const (
	// subBits is the base-2 logarithm of the bins in a power of two. Sizes
	// below minBlock<<subBits have a bin each.
	subBits  = 6
	subCount = 1 << subBits
	// binCount covers sizes up to 2^60.
	binCount = (60-9-subBits+1)*subCount + subCount
	binWords = (binCount + 63) / 64
)

// freeSet holds free blocks in the order (size, addr) and finds the least one
// of at least a size. Bins by size keep the trees tiny: a bin is a treap, and
// two levels of bitmaps find the next bin in a few instructions.
type freeSet struct {
	top   uint64 // words of bits that have a bit set
	bits  [binWords]uint64
	roots [binCount]*block
	count int
	bytes int64
}

// binOf gives the bin of a size. It does not fall as size grows.
func binOf(size int64) int {
	units := uint64(size) / uint64(minBlock)
	if units < subCount {
		return int(units)
	}
	exp := bits.Len64(units) - 1 - subBits
	return exp<<subBits + int(units>>exp)
}

// before reports whether block b is ordered before (size, addr).
func (b *block) before(size int64, addr Ptr) bool {
	return b.size < size || b.size == size && b.addr < addr
}

// insert adds b.
func (f *freeSet) insert(b *block) {
	i := binOf(b.size)
	f.count++
	f.bytes += b.size
	b.left, b.right, b.up = nil, nil, nil
	b.prio = priority(b.addr)
	root := f.roots[i]
	if root == nil {
		f.roots[i] = b
		f.bits[i/64] |= 1 << (i % 64)
		f.top |= 1 << (i / 64)
		return
	}
	for n := root; ; {
		if b.before(n.size, n.addr) {
			if n.left == nil {
				n.left, b.up = b, n
				break
			}
			n = n.left
		} else {
			if n.right == nil {
				n.right, b.up = b, n
				break
			}
			n = n.right
		}
	}
	for b.up != nil && b.up.prio < b.prio {
		f.rotateUp(b, i)
	}
}

// priority spreads addresses, so that the treaps are balanced whatever the
// order of frees is. It depends on nothing else: runs are reproducible.
func priority(p Ptr) uint32 {
	h := uint64(p) * 0x9e3779b97f4a7c15
	return uint32(h>>32) | 1
}

// rotateUp lifts b over its parent.
func (f *freeSet) rotateUp(b *block, bin int) {
	p := b.up
	g := p.up
	if p.left == b {
		p.left = b.right
		if b.right != nil {
			b.right.up = p
		}
		b.right = p
	} else {
		p.right = b.left
		if b.left != nil {
			b.left.up = p
		}
		b.left = p
	}
	p.up, b.up = b, g
	f.relink(p, b, g, bin)
}

// relink puts b where old was: below parent, or at the bin's root.
func (f *freeSet) relink(old, b, parent *block, bin int) {
	switch {
	case parent == nil:
		f.roots[bin] = b
	case parent.left == old:
		parent.left = b
	default:
		parent.right = b
	}
}

// remove takes b out.
func (f *freeSet) remove(b *block) {
	i := binOf(b.size)
	f.count--
	f.bytes -= b.size
	for b.left != nil && b.right != nil {
		if b.left.prio > b.right.prio {
			f.rotateUp(b.left, i)
		} else {
			f.rotateUp(b.right, i)
		}
	}
	child := b.left
	if child == nil {
		child = b.right
	}
	if child != nil {
		child.up = b.up
	}
	f.relink(b, child, b.up, i)
	if f.roots[i] == nil {
		f.bits[i/64] &^= 1 << (i % 64)
		if f.bits[i/64] == 0 {
			f.top &^= 1 << (i / 64)
		}
	}
	b.left, b.right, b.up = nil, nil, nil
}

// find gives the first block of at least size bytes: the smallest, and of
// those the one with the lowest address. It is nil where there is none.
func (f *freeSet) find(size int64) *block {
	i := binOf(size)
	var best *block
	for n := f.roots[i]; n != nil; {
		if n.size >= size {
			best, n = n, n.left
		} else {
			n = n.right
		}
	}
	if best != nil {
		return best
	}
	return f.firstFrom(i + 1)
}

// firstFrom gives the first block of bin i or a later one.
func (f *freeSet) firstFrom(i int) *block {
	if i >= binCount {
		return nil
	}
	w := i / 64
	word := f.bits[w] &^ (1<<(i%64) - 1)
	if word == 0 {
		top := f.top &^ (1<<(w+1) - 1)
		if top == 0 {
			return nil
		}
		w = bits.TrailingZeros64(top)
		word = f.bits[w]
	}
	return leftmost(f.roots[w*64+bits.TrailingZeros64(word)])
}

func leftmost(n *block) *block {
	for n != nil && n.left != nil {
		n = n.left
	}
	return n
}

// first gives the first block of all.
func (f *freeSet) first() *block { return f.firstFrom(0) }

// next gives the block after b, nil at the end.
func (f *freeSet) next(b *block) *block {
	if b.right != nil {
		return leftmost(b.right)
	}
	n := b
	for n.up != nil && n.up.right == n {
		n = n.up
	}
	if n.up != nil {
		return n.up
	}
	return f.firstFrom(binOf(b.size) + 1)
}

// prev gives the block before b, nil at the start.
func (f *freeSet) prev(b *block) *block {
	if b.left != nil {
		return rightmost(b.left)
	}
	n := b
	for n.up != nil && n.up.left == n {
		n = n.up
	}
	if n.up != nil {
		return n.up
	}
	return f.lastUpTo(binOf(b.size) - 1)
}

// last gives the largest block.
func (f *freeSet) last() *block { return f.lastUpTo(binCount - 1) }

// lastUpTo gives the last block of bin i or an earlier one.
func (f *freeSet) lastUpTo(i int) *block {
	if i < 0 {
		return nil
	}
	w := i / 64
	word := f.bits[w] & (1<<(i%64+1) - 1)
	if i%64 == 63 {
		word = f.bits[w]
	}
	if word == 0 {
		top := f.top & (1<<w - 1)
		if top == 0 {
			return nil
		}
		w = bits.Len64(top) - 1
		word = f.bits[w]
	}
	return rightmost(f.roots[w*64+bits.Len64(word)-1])
}

func rightmost(n *block) *block {
	for n != nil && n.right != nil {
		n = n.right
	}
	return n
}
