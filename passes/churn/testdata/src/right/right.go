// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"testing"
	"time"

	"example.com/dev"
)

func hoisted(values []byte) error {
	b, err := dev.New(64)
	if err != nil {
		return err
	}
	defer b.Free()
	for _, v := range values {
		b.Fill(v)
	}
	return nil
}

func once(v byte) {
	b := dev.NewShaped(1)
	b.Fill(v)
	b.Free()
}

func few(v byte) {
	for range 4 {
		b := dev.NewShaped(1)
		b.Fill(v)
		b.Free()
	}
	for _, n := range []int{1, 2} {
		b, err := dev.New(n)
		if err == nil {
			b.Free()
		}
	}
}

// One that succeeds ends the loop.
func firstThatFits(sizes []int) error {
	var err error
	for range sizes {
		b, e := dev.New(64)
		if e != nil {
			err = e
			continue
		}
		b.Fill(0)
		b.Free()
		return nil
	}
	return err
}

func files(paths []string) {
	for _, p := range paths {
		b, err := dev.Load(p)
		if err != nil {
			continue
		}
		b.Fill(0)
		b.Free()
	}
}

func data(rows [][]float32) {
	for _, r := range rows {
		b := dev.NewFrom(r)
		b.Fill(0)
		b.Free()
	}
}

func copies(list []*dev.Buf) {
	for _, x := range list {
		b := x.Clone()
		b.Fill(0)
		b.Free()
	}
}

func kept(values []byte) []*dev.Buf {
	var list []*dev.Buf
	for _, v := range values {
		b := dev.NewShaped(1)
		b.Fill(v)
		list = append(list, b)
	}
	return list
}

func sent(values []byte, out chan<- *dev.Buf) {
	for range values {
		out <- dev.NewShaped(1)
	}
}

// The buffer of the turn before is still needed.
func pingPong(values []byte) {
	prev := dev.NewShaped(1)
	for _, v := range values {
		next := dev.NewShaped(1)
		next.Fill(v)
		prev.Free()
		prev = next
	}
	prev.Free()
}

func pooled(values []byte) {
	for range values {
		s := dev.NewScratch(64)
		s.Return()
	}
}

func clock(tick *time.Ticker) {
	for range tick.C {
		b := dev.NewShaped(1)
		b.Fill(0)
		b.Free()
	}
}

func grow(values []byte) error {
	var b *dev.Buf
	n := 0
	for i, v := range values {
		if i >= n {
			if b != nil {
				b.Free()
			}
			n = 2*i + 1
			var err error
			if b, err = dev.New(n); err != nil {
				return err
			}
		}
		b.Fill(v)
	}
	if b != nil {
		b.Free()
	}
	return nil
}

func BenchmarkNew(b *testing.B) {
	for i := 0; i < b.N; i++ {
		dev.NewShaped(1).Free()
	}
}
