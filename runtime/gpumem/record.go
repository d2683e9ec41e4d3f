// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "time"

// Kind is a kind of resource that a program can leak.
type Kind uint8

// The kinds, in the order in which reports list them.
const (
	KindBuffer Kind = iota
	KindView
	KindStream
	KindEvent
	KindPool
	KindArena
)

var kindNames = [...]string{"buffer", "view", "stream", "event", "pool", "arena"}

// String gives the kind as one word.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Record describes one live resource, or one that only the garbage collector
// released. It holds nothing alive.
type Record struct {
	ID        uint64 // unique in the device, in order of birth
	Kind      Kind
	Addr      Ptr   // 0 for streams, events and pools
	Size      int64 // rounded bytes; 0 for streams, events and pools
	Requested int64
	Stream    StreamHandle
	Pool      PoolID
	Tag       string
	Site      SiteID // 0 where tracking is off
	Born      time.Time
	Step      int64
	Parent    uint64 // id of the buffer that a view looks into, else 0
}
