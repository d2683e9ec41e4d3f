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

// counters are a heap's statistics, guarded by its lock. mark holds peaks
// while the heap is its device's only one. With several heaps no heap can know
// the peak of the sum: mark is then the level up to which the heap may rise
// without the device having to look (see Device.checkPeaks).
type counters struct {
	cur   [3]row // small, large, all
	mark  [3]row
	freed [2]row
	hits  int64
}

// take counts a block that became held and reports whether a mark was passed.
func (c *counters) take(kind uint8, size, req int64) bool {
	k, a := &c.cur[kind], &c.cur[kindAll]
	k[colCount]++
	k[colBytes] += size
	k[colActive]++
	k[colActiveB] += size
	k[colRequested] += req
	a[colCount]++
	a[colBytes] += size
	a[colActive]++
	a[colActiveB] += size
	a[colRequested] += req
	return c.over(kind)
}

// over reports whether a quantity that a take raises is past its mark.
func (c *counters) over(kind uint8) bool {
	k, km := &c.cur[kind], &c.mark[kind]
	a, am := &c.cur[kindAll], &c.mark[kindAll]
	return k[colCount] > km[colCount] || k[colBytes] > km[colBytes] || k[colRequested] > km[colRequested] ||
		k[colActive] > km[colActive] || k[colActiveB] > km[colActiveB] ||
		a[colCount] > am[colCount] || a[colBytes] > am[colBytes] || a[colRequested] > am[colRequested] ||
		a[colActive] > am[colActive] || a[colActiveB] > am[colActiveB]
}

// release counts a held block that its owner closed.
func (c *counters) release(kind uint8, size int64) {
	k, a := &c.cur[kind], &c.cur[kindAll]
	k[colCount]--
	k[colBytes] -= size
	a[colCount]--
	a[colBytes] -= size
	c.freed[kind][colCount]++
	c.freed[kind][colBytes] += size
}

// retire counts a closed block whose memory became reusable.
func (c *counters) retire(kind uint8, size, req int64) {
	k, a, f := &c.cur[kind], &c.cur[kindAll], &c.freed[kind]
	k[colActive]--
	k[colActiveB] -= size
	k[colRequested] -= req
	a[colActive]--
	a[colActiveB] -= size
	a[colRequested] -= req
	f[colActive]++
	f[colActiveB] += size
	f[colRequested] += req
}

// split counts a change of the free blocks that are split off and reports
// whether a mark was passed.
func (c *counters) split(kind uint8, n, bytes int64) bool {
	if n == 0 && bytes == 0 {
		return false
	}
	k, a, f := &c.cur[kind], &c.cur[kindAll], &c.freed[kind]
	k[colSplit] += n
	k[colSplitB] += bytes
	a[colSplit] += n
	a[colSplitB] += bytes
	if n < 0 {
		f[colSplit] -= n
	}
	if bytes < 0 {
		f[colSplitB] -= bytes
	}
	km, am := &c.mark[kind], &c.mark[kindAll]
	return k[colSplit] > km[colSplit] || k[colSplitB] > km[colSplitB] ||
		a[colSplit] > am[colSplit] || a[colSplitB] > am[colSplitB]
}

// raise lifts the marks to the current values.
func (c *counters) raise() {
	for k := range c.cur {
		for i := range c.cur[k] {
			c.mark[k][i] = max(c.mark[k][i], c.cur[k][i])
		}
	}
}
