// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"cmp"
	"slices"
)

// plainPyTorch is PyTorch's rules written down again, as plainly as they can
// be: sorted slices, no locks, nothing kept that can be searched for. The
// allocator's decisions are compared with it on random programs, so that a
// mistake in a clever structure cannot hide.
type plainPyTorch struct {
	conf     Conf
	limit    int64
	next     Ptr
	pools    [2][]*plainBlock // free, by (stream, size, addr)
	unmapped [2][]*plainBlock
	searches [2]int64
	pending  []*plainBlock
	done     bool // work of other streams is finished
	reserved int64
	allocs   int64
	frees    int64
	retries  int64
}

type plainBlock struct {
	stream     StreamHandle
	size       int64
	addr       Ptr
	kind       int
	busy       bool
	unmapped   bool
	seg        *plainRange // where memory is mapped
	base       int64
	prev, next *plainBlock
}

// plainRange is an expandable segment.
type plainRange struct {
	addr       Ptr
	size, page int64
}

func (b *plainBlock) split() bool { return b.prev != nil || b.next != nil }

func plainOrder(a, b *plainBlock) int {
	return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.size, b.size), cmp.Compare(a.addr, b.addr))
}

func (p *plainPyTorch) insert(b *plainBlock) {
	b.base = p.searches[b.kind]
	i, _ := slices.BinarySearchFunc(p.pools[b.kind], b, plainOrder)
	p.pools[b.kind] = slices.Insert(p.pools[b.kind], i, b)
}

func (p *plainPyTorch) remove(b *plainBlock) {
	i := slices.Index(p.pools[b.kind], b)
	p.pools[b.kind] = slices.Delete(p.pools[b.kind], i, i+1)
}

// search finds and removes the best fit.
func (p *plainPyTorch) search(kind int, stream StreamHandle, size int64) *plainBlock {
	p.searches[kind]++
	for i, b := range p.pools[kind] {
		if b.stream != stream || b.size < size {
			continue
		}
		for j := i + 1; p.conf.Expandable && j < len(p.pools[kind]) && p.pools[kind][j].stream == stream; j++ {
			if p.pools[kind][j].room() >= b.room() {
				break
			}
			b = p.pools[kind][j]
		}
		if size < p.conf.MaxSplitSize && b.size >= p.conf.MaxSplitSize ||
			size >= p.conf.MaxSplitSize && b.size >= size+p.conf.MaxNonSplitRounding {
			return nil
		}
		p.remove(b)
		return b
	}
	return nil
}

func (p *plainPyTorch) giveBack(b *plainBlock) {
	p.remove(b)
	p.reserved -= b.size
	p.frees++
}

func (p *plainPyTorch) grow(kind int, stream StreamHandle, size int64) *plainBlock {
	n := p.conf.segmentSize(size)
	if p.limit > 0 && p.reserved+n > p.limit {
		return nil
	}
	if p.conf.Expandable {
		return p.expand(kind, stream, size)
	}
	b := &plainBlock{stream: stream, size: n, addr: p.next, kind: kind}
	p.next += Ptr(n)
	p.reserved += n
	p.allocs++
	return b
}

// room is the size that b can grow to.
func (b *plainBlock) room() int64 {
	if b.next != nil && b.next.unmapped {
		return b.size + b.next.size
	}
	return b.size
}

// expand maps memory at the lowest address where size bytes have room.
func (p *plainPyTorch) expand(kind int, stream StreamHandle, size int64) *plainBlock {
	var at *plainBlock
	for _, u := range p.unmapped[kind] {
		if u.stream != stream {
			continue
		}
		c, total := u, int64(0)
		if c.prev != nil && !c.prev.busy {
			c = c.prev
		}
		for b := c; b != nil && !b.busy && total < size; b = b.next {
			total += b.size
		}
		if total >= size {
			at = c
			break
		}
	}
	if at == nil {
		page := smallBuffer
		if kind == kindLarge {
			page = p.conf.LargeSegmentSize
		}
		total := int64(1) << 45
		r := &plainRange{addr: p.next, size: roundUp(total+total/8, page), page: page}
		p.next += Ptr(r.size)
		at = &plainBlock{stream: stream, size: r.size, addr: r.addr, kind: kind, unmapped: true, seg: r}
		p.addUnmapped(at)
	}
	if at.unmapped {
		at = p.mapped(at, min(at.size, size))
	}
	for at.size < size {
		at = p.mapped(at.next, min(size-at.size, at.next.size))
	}
	p.remove(at)
	return at
}

func (p *plainPyTorch) addUnmapped(b *plainBlock) {
	b.unmapped = true
	p.unmapped[b.kind] = append(p.unmapped[b.kind], b)
	slices.SortFunc(p.unmapped[b.kind], func(a, b *plainBlock) int {
		return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.addr, b.addr))
	})
}

func (p *plainPyTorch) dropUnmapped(b *plainBlock) {
	i := slices.Index(p.unmapped[b.kind], b)
	p.unmapped[b.kind] = slices.Delete(p.unmapped[b.kind], i, i+1)
}

// cut splits b after size bytes.
func (b *plainBlock) cut(size int64) *plainBlock {
	r := &plainBlock{stream: b.stream, size: b.size - size, addr: b.addr + Ptr(size), kind: b.kind, seg: b.seg, prev: b, next: b.next}
	if b.next != nil {
		b.next.prev = r
	}
	b.next, b.size = r, size
	return r
}

// mapped maps the first size bytes of b, in whole pages.
func (p *plainPyTorch) mapped(b *plainBlock, size int64) *plainBlock {
	p.dropUnmapped(b)
	b.unmapped = false
	size = min(roundUp(size, b.seg.page), b.size)
	if size < b.size {
		p.addUnmapped(b.cut(size))
	}
	p.reserved += size
	p.allocs++
	p.complete(b)
	return b // complete keeps b and merges its neighbours into it
}

// unmap takes the whole pages of a free block away.
func (p *plainPyTorch) unmap(b *plainBlock) {
	page := b.seg.page
	from := b.seg.addr + Ptr(roundUp(int64(b.addr-b.seg.addr), page))
	to := b.seg.addr + Ptr((int64(b.addr-b.seg.addr)+b.size)/page*page)
	if from >= to {
		return
	}
	p.remove(b)
	if end := b.addr + Ptr(b.size); to < end {
		p.insert(b.cut(int64(to - b.addr)))
	}
	if from > b.addr {
		r := b.cut(int64(from - b.addr))
		p.insert(b)
		b = r
	}
	p.reserved -= b.size
	p.frees++
	for _, n := range []*plainBlock{b.next, b.prev} {
		if n == nil || !n.unmapped {
			continue
		}
		p.dropUnmapped(n)
		b.size += n.size
		if n == b.next {
			if b.next = n.next; n.next != nil {
				n.next.prev = b
			}
		} else {
			b.addr = n.addr
			if b.prev = n.prev; n.prev != nil {
				n.prev.next = b
			}
		}
	}
	if b.split() {
		p.addUnmapped(b)
	}
}

// collect is the threshold collector.
func (p *plainPyTorch) collect() {
	threshold := int64(p.conf.GCThreshold * float64(p.limit))
	target := p.reserved - threshold
	if target <= 0 {
		return
	}
	for freed := int64(0); freed < target; {
		var free []*plainBlock
		age := int64(0)
		for _, b := range p.pools[kindLarge] {
			if !b.split() {
				free = append(free, b)
				age += p.searches[kindLarge] - b.base
			}
		}
		progress := false
		for _, b := range free {
			if float64(p.searches[kindLarge]-b.base) >= float64(age)/float64(len(free)) {
				p.giveBack(b)
				freed += b.size
				progress = true
			}
		}
		if !progress {
			return
		}
	}
}

// oversize releases blocks that are not split, if that is enough.
func (p *plainPyTorch) oversize(kind int, stream StreamHandle, size int64) bool {
	want, freed := max(size, p.conf.MaxSplitSize), int64(0)
	for _, b := range p.pools[kind] {
		if b.seg == nil && b.stream == stream && b.size >= want {
			p.giveBack(b)
			return true
		}
	}
	for freed < want {
		var last *plainBlock
		for _, b := range p.pools[kind] {
			if b.seg == nil && b.stream == stream && b.size >= p.conf.MaxSplitSize {
				last = b
			}
		}
		if last == nil {
			return false
		}
		p.giveBack(last)
		freed += last.size
	}
	return true
}

func (p *plainPyTorch) malloc(n int64, stream StreamHandle) *plainBlock {
	if p.done {
		p.sync()
	}
	size, kind := p.conf.roundSize(n), kindLarge
	if size <= smallMax {
		kind = kindSmall
	}
	b := p.search(kind, stream, size)
	if b == nil {
		if p.limit > 0 && p.conf.GCThreshold > 0 {
			p.collect()
		}
		b = p.grow(kind, stream, size)
		if b == nil && p.conf.MaxSplitSize != unlimited && p.oversize(kind, stream, size) {
			b = p.grow(kind, stream, size)
		}
		if b == nil {
			p.sync()
			for _, k := range []int{kindLarge, kindSmall} {
				for _, f := range slices.Clone(p.pools[k]) {
					if f.seg != nil {
						p.unmap(f)
					} else if !f.split() {
						p.giveBack(f)
					}
				}
			}
			p.retries++
			b = p.grow(kind, stream, size)
		}
		if b == nil {
			return nil
		}
	}
	rest := b.size - size
	if (kind == kindSmall || p.conf.Expandable) && rest >= minBlock || !p.conf.Expandable && kind == kindLarge && size < p.conf.MaxSplitSize && rest > smallMax {
		p.insert(b.cut(size))
	}
	b.busy = true
	return b
}

func (p *plainPyTorch) free(b *plainBlock, used bool) {
	if used {
		p.pending = append(p.pending, b)
		return
	}
	p.complete(b)
}

func (p *plainPyTorch) complete(b *plainBlock) {
	b.busy = false
	if n := b.next; n != nil && !n.busy && !n.unmapped {
		p.remove(n)
		b.size += n.size
		if b.next = n.next; n.next != nil {
			n.next.prev = b
		}
	}
	if n := b.prev; n != nil && !n.busy && !n.unmapped {
		p.remove(n)
		b.size += n.size
		b.addr = n.addr
		if b.prev = n.prev; n.prev != nil {
			n.prev.next = b
		}
	}
	p.insert(b)
}

func (p *plainPyTorch) sync() {
	for _, b := range p.pending {
		p.complete(b)
	}
	p.pending = nil
}
