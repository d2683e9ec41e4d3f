// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package bag owns buffers for others.
package bag

import "example.com/dev"

// Book closes what it drops, and the rest at its end.
type Book struct{ m map[string]*dev.Buf }

func NewBook() *Book { return &Book{map[string]*dev.Buf{}} }

func (b *Book) Put(key string, buf *dev.Buf) { b.m[key] = buf }

func (b *Book) Remove(key string) {
	if buf, ok := b.m[key]; ok {
		buf.Free()
		delete(b.m, key)
	}
}

func (b *Book) Close() {
	for _, buf := range b.m {
		buf.Free()
	}
}

var kept = map[string]*dev.Buf{}

// Keep takes buf over, until Drop.
func Keep(key string, buf *dev.Buf) { kept[key] = buf }

// Drop frees it.
func Drop(key string) {
	if buf, ok := kept[key]; ok {
		buf.Free()
	}
	delete(kept, key)
}

// Seen is filled by others.
var Seen []*dev.Buf

// Trimmed is filled by others, and emptied here.
var Trimmed []*dev.Buf

func Trim() {
	for _, b := range Trimmed {
		b.Free()
	}
	Trimmed = nil
}
