// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pickle

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
)

// Writer emits one value as pickle protocol 4. Call the methods in the order of
// the value's parts and Close last; the first failed write is kept and returned
// by Close, so no call needs a check of its own. A Writer is for one goroutine.
type Writer struct {
	w       *bufio.Writer
	strings map[string]uint32 // text -> memo slot
	slots   uint32            // memo slots used so far
	lists   []int             // items since the last APPENDS, one entry an open list; -1 for a dict
}

// NewWriter starts a pickle on w.
func NewWriter(w io.Writer) *Writer {
	p := &Writer{w: bufio.NewWriterSize(w, 64<<10), strings: map[string]uint32{}}
	p.w.Write([]byte{opProto, writtenProtocol})
	return p
}

// Close ends the pickle and flushes it. It does not close the underlying writer.
func (p *Writer) Close() error {
	p.w.WriteByte(opStop)
	return p.w.Flush()
}

// Dict writes a dictionary; body writes each key with Key, followed by its value.
func (p *Writer) Dict(body func()) {
	p.begin()
	p.w.Write([]byte{opEmptyDict, opMark})
	p.lists = append(p.lists, -1)
	body()
	p.lists = p.lists[:len(p.lists)-1]
	p.w.WriteByte(opSetItems)
}

// Key writes a dictionary key.
func (p *Writer) Key(k string) { p.text(k) }

// List writes a list of n items; item writes exactly the i-th one.
func (p *Writer) List(n int, item func(i int)) {
	p.begin()
	p.w.WriteByte(opEmptyList)
	p.items(n, item)
}

// SharedList writes a list like List and remembers it: SameList(slot) writes a
// reference to it later, which is how thousands of events share one call stack.
func (p *Writer) SharedList(n int, item func(i int)) (slot uint32) {
	p.begin()
	p.w.WriteByte(opEmptyList)
	slot = p.memoize()
	p.items(n, item)
	return slot
}

// SameList writes a reference to a list written by SharedList.
func (p *Writer) SameList(slot uint32) {
	p.begin()
	p.get(slot)
}

// items writes the content of the list on top of the machine's stack, in
// batches of at most maxBatch.
func (p *Writer) items(n int, item func(i int)) {
	if n == 0 {
		return // an empty list is the opcode alone
	}
	p.lists = append(p.lists, 0)
	p.w.WriteByte(opMark)
	for i := range n {
		item(i)
	}
	p.lists = p.lists[:len(p.lists)-1]
	p.w.WriteByte(opAppends)
}

// begin is called before every value: it closes a full batch of the list that
// the value is going into.
func (p *Writer) begin() {
	top := len(p.lists) - 1
	if top < 0 || p.lists[top] < 0 {
		return // the outermost value, or the value of a dictionary key
	}
	if p.lists[top] == maxBatch {
		p.w.Write([]byte{opAppends, opMark})
		p.lists[top] = 0
	}
	p.lists[top]++
}

// Pair writes a tuple of two integers.
func (p *Writer) Pair(a, b int64) {
	p.begin()
	p.int(a)
	p.int(b)
	p.w.WriteByte(opTuple2)
}

// Int writes an integer.
func (p *Writer) Int(v int64) {
	p.begin()
	p.int(v)
}

func (p *Writer) int(v int64) {
	var buf [10]byte
	switch {
	case v >= 0 && v <= math.MaxUint8:
		p.w.Write([]byte{opInt1, byte(v)})
	case v >= 0 && v <= math.MaxUint16:
		buf[0] = opInt2
		binary.LittleEndian.PutUint16(buf[1:], uint16(v))
		p.w.Write(buf[:3])
	case v >= math.MinInt32 && v <= math.MaxInt32:
		buf[0] = opInt4
		binary.LittleEndian.PutUint32(buf[1:], uint32(v))
		p.w.Write(buf[:5])
	default:
		// Two's complement, little-endian, as few bytes as keep the sign.
		n := 5
		for ; n < 8; n++ {
			if limit := int64(1) << (8*n - 1); v >= -limit && v < limit {
				break
			}
		}
		buf[0], buf[1] = opLong1, byte(n)
		binary.LittleEndian.PutUint64(buf[2:], uint64(v))
		p.w.Write(buf[:2+n])
	}
}

// Float writes a floating-point number.
func (p *Writer) Float(v float64) {
	p.begin()
	var buf [9]byte
	buf[0] = opFloat
	binary.BigEndian.PutUint64(buf[1:], math.Float64bits(v))
	p.w.Write(buf[:])
}

// Bool writes True or False.
func (p *Writer) Bool(v bool) {
	p.begin()
	if v {
		p.w.WriteByte(opTrue)
		return
	}
	p.w.WriteByte(opFalse)
}

// None writes None.
func (p *Writer) None() {
	p.begin()
	p.w.WriteByte(opNone)
}

// String writes a string; a repeated one becomes a reference to the first.
func (p *Writer) String(s string) {
	p.begin()
	p.text(s)
}

func (p *Writer) text(s string) {
	if slot, ok := p.strings[s]; ok {
		p.get(slot)
		return
	}
	if len(s) <= math.MaxUint8 {
		p.w.Write([]byte{opUnicode1, byte(len(s))})
	} else {
		var buf [5]byte
		buf[0] = opUnicode4
		binary.LittleEndian.PutUint32(buf[1:], uint32(len(s)))
		p.w.Write(buf[:])
	}
	p.w.WriteString(s)
	if len(s) <= maxStringToShare {
		p.strings[s] = p.memoize()
	}
}

// memoize gives the value on top of the machine's stack the next slot.
func (p *Writer) memoize() uint32 {
	p.w.WriteByte(opMemoize)
	p.slots++
	return p.slots - 1
}

func (p *Writer) get(slot uint32) {
	if slot <= math.MaxUint8 {
		p.w.Write([]byte{opBinGet, byte(slot)})
		return
	}
	var buf [5]byte
	buf[0] = opLongBinGet
	binary.LittleEndian.PutUint32(buf[1:], slot)
	p.w.Write(buf[:])
}
