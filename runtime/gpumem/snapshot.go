// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "time"

// Action is what happened in a history [Entry]; the values are PyTorch's.
type Action uint8

// The actions of a history.
const (
	ActionAlloc         Action = iota // a buffer was handed out
	ActionFreeRequested               // the program closed a buffer
	ActionFreeCompleted               // its memory became reusable
	ActionSegmentAlloc                // the driver gave a segment
	ActionSegmentFree                 // a segment went back to the driver
	ActionSegmentMap                  // memory was mapped into a range
	ActionSegmentUnmap                // memory was unmapped
	ActionSnapshot                    // somebody took a snapshot
	ActionOOM                         // an allocation failed; Addr is the device's free bytes
)

var actionNames = [...]string{"alloc", "free_requested", "free_completed", "segment_alloc", "segment_free",
	"segment_map", "segment_unmap", "snapshot", "oom"}

// String gives PyTorch's name of the action.
func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return "unknown"
}

// ParseAction is the inverse of [Action.String].
func ParseAction(s string) (Action, bool) {
	for i, n := range actionNames {
		if n == s {
			return Action(i), true
		}
	}
	return 0, false
}

// Entry is one event of an allocator's history.
type Entry struct {
	Action Action
	Pool   PoolID
	Site   SiteID // where it was asked for; 0 where tracking is off
	Addr   Ptr
	Size   int64 // bytes: requested for buffers, real for segments
	Stream StreamHandle
	Time   int64 // nanoseconds since the epoch; 0 where unknown
	Tag    string
}

// BlockState is the state of a block in a snapshot.
type BlockState uint8

// The block states; their strings are those of PyTorch's snapshots.
const (
	BlockInactive    BlockState = iota // free
	BlockAllocated                     // held by the program
	BlockPendingFree                   // closed, but other streams may still use it
)

// String gives the state as PyTorch's snapshots write it.
func (s BlockState) String() string {
	switch s {
	case BlockAllocated:
		return "active_allocated"
	case BlockPendingFree:
		return "active_pending_free"
	default:
		return "inactive"
	}
}

// BlockInfo describes one block of a segment.
type BlockInfo struct {
	ID        uint64 // allocation id, unique in the device; 0 for free blocks
	Addr      Ptr
	Size      int64
	Requested int64 // what the program asked for; 0 for free blocks
	State     BlockState
	Site      SiteID
	Tag       string
	Born      time.Time // zero where tracking is off
	Step      int64     // value of the device's step counter at birth
}

// SegmentInfo describes one segment: contiguous mapped device memory. Its
// blocks are in address order and fill it without gaps.
type SegmentInfo struct {
	Device     int
	Addr       Ptr
	Size       int64
	Allocated  int64 // bytes held by the program
	Active     int64 // and those waiting for a stream
	Requested  int64
	Stream     StreamHandle
	Small      bool // packs requests up to 1 MiB
	Expandable bool // mapped by VMM
	Pool       PoolID
	Site       SiteID // what made the allocator ask the driver
	Blocks     []BlockInfo
}

// SnapshotOptions choose what a snapshot has. The zero value has the segments
// alone, which is cheap.
type SnapshotOptions struct {
	History bool // copy the history ring too
}

// Snapshot is the state of a device's memory at one moment. It shares nothing
// with the device and holds no buffer alive.
type Snapshot struct {
	Device   DeviceInfo
	Time     time.Time
	Segments []SegmentInfo // in address order
	History  []Entry       // oldest first
	Dropped  int64         // history entries that the ring has overwritten
	Conf     Conf
	Policy   Policy
	Stats    Stats
}
