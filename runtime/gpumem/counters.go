// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

// The quantities that a heap counts, by kind of pool.
const (
	colCount     = iota // blocks held
	colBytes            // and their bytes
	colActive           // blocks held or pending
	colActiveB          // and their bytes
	colRequested        // bytes asked for, of active blocks
	colSplit            // free blocks of segments that are partly used
	colSplitB           // and their bytes
	numCols
)

// row is one value of each quantity.
type row [numCols]int64

// table has a row for the small pool, the large pool and both.
type table [3]row

// counters are a heap's statistics, guarded by its lock. What follows from
// other numbers is not kept: every allocation pays for each of them.
//
// mark holds peaks while the heap is its device's only one. With several heaps
// no heap can know the peak of the sum: mark is then the level up to which the
// heap may rise without the device having to look (see Device.checkPeaks).
type counters struct {
	cur   [2]row
	mark  table
	freed [2]row // but for the active columns, which follow from the others
	hits  int64
}

// current gives the values of now.
func (c *counters) current() table {
	t := table{c.cur[0], c.cur[1], c.cur[0]}
	for i := range t[kindAll] {
		t[kindAll][i] += c.cur[1][i]
	}
	return t
}

// gone gives what was freed ever. What became active and is not is freed.
func (c *counters) gone() table {
	t := table{c.freed[0], c.freed[1]}
	for k := range c.freed {
		cur := &c.cur[k]
		t[k][colActive] = cur[colCount] + t[k][colCount] - cur[colActive]
		t[k][colActiveB] = cur[colBytes] + t[k][colBytes] - cur[colActiveB]
		for i, v := range t[k] {
			t[kindAll][i] += v
		}
	}
	return t
}

// take counts a block that became held and reports whether a mark was passed.
func (c *counters) take(kind uint8, size, req int64) bool {
	k := &c.cur[kind]
	k[colCount]++
	k[colBytes] += size
	k[colActive]++
	k[colActiveB] += size
	k[colRequested] += req
	o, km, am := &c.cur[1-kind], &c.mark[kind], &c.mark[kindAll]
	return k[colCount] > km[colCount] || k[colBytes] > km[colBytes] || k[colRequested] > km[colRequested] ||
		k[colActive] > km[colActive] || k[colActiveB] > km[colActiveB] ||
		k[colCount]+o[colCount] > am[colCount] || k[colBytes]+o[colBytes] > am[colBytes] ||
		k[colRequested]+o[colRequested] > am[colRequested] ||
		k[colActive]+o[colActive] > am[colActive] || k[colActiveB]+o[colActiveB] > am[colActiveB]
}

// release counts a held block that its owner closed.
func (c *counters) release(kind uint8, size int64) {
	k, f := &c.cur[kind], &c.freed[kind]
	k[colCount]--
	k[colBytes] -= size
	f[colCount]++
	f[colBytes] += size
}

// retire counts a closed block whose memory became reusable.
func (c *counters) retire(kind uint8, size, req int64) {
	k := &c.cur[kind]
	k[colActive]--
	k[colActiveB] -= size
	k[colRequested] -= req
	c.freed[kind][colRequested] += req
}

// split counts a change of the free blocks that are split off and reports
// whether a mark was passed.
func (c *counters) split(kind uint8, n, bytes int64) bool {
	if n == 0 && bytes == 0 {
		return false
	}
	k, f := &c.cur[kind], &c.freed[kind]
	k[colSplit] += n
	k[colSplitB] += bytes
	if n < 0 {
		f[colSplit] -= n
	}
	if bytes < 0 {
		f[colSplitB] -= bytes
	}
	o, km, am := &c.cur[1-kind], &c.mark[kind], &c.mark[kindAll]
	return k[colSplit] > km[colSplit] || k[colSplitB] > km[colSplitB] ||
		k[colSplit]+o[colSplit] > am[colSplit] || k[colSplitB]+o[colSplitB] > am[colSplitB]
}

// raise lifts the marks to the current values.
func (c *counters) raise() { c.mark.raise(c.current()) }

// raise lifts t to u where that is higher.
func (t *table) raise(u table) {
	for k := range t {
		for i := range t[k] {
			t[k][i] = max(t[k][i], u[k][i])
		}
	}
}

// add adds u to t.
func (t *table) add(u table) {
	for k := range t {
		for i := range t[k] {
			t[k][i] += u[k][i]
		}
	}
}
