// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package user names only near, and calls far's methods in every way there is.
package user

import (
	"fmt"

	"example.com/near"
)

type mine struct{ near.Owner }

func calls() {
	h := near.New()
	h.Do(func() {}) // promoted from sync, further away still
	_ = h.Len()
	h.Sub().Free()
	free := h.Free
	defer free()
	go near.Shared.Free()
	near.Run(h)
	near.Run(h.Sub())
	f, _ := near.Hold(h)
	f.Free()
}

func promoted(m mine, o *near.Owner) {
	m.Free()
	m.Sub.Free()
	o.Handle.Free()
	near.Run(m)
	near.Run(o)
	near.Run(interface{ Free() }(m))
	o.All.Add(o.Handle)
	for i, k := range near.Kinds() {
		fmt.Println(i, k == near.Big, k.String(), k)
	}
	near.Map([]mine{m}, mine.Free)
	near.Map([]*mine{&m}, (*mine).Free)
}

func swallow[T interface{ Len() int }](x T) int { return x.Len() }

func generic(o near.Owner) int {
	each := o.All.Each
	sum := 0
	h := o.Handle
	add := func(x interface{ Len() int }) { sum += x.Len() }
	add(h)
	_ = each
	return sum + swallow(h) + swallow(*h) + swallow(mine{o})
}

var atStart = near.New().Sub().Len()
