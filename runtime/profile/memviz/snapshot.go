// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package memviz is the snapshot format of PyTorch's memory viewer: what the
// device's memory looked like at one moment, and the last events before it.
//
// A [Snapshot] is written as JSON, which today's viewer opens first, or as
// pickle protocol 4, which older copies of it need, and read back from either,
// also from files that PyTorch itself recorded. [Snapshot.Check] holds a
// snapshot to what the viewer silently relies on: contiguous blocks, totals
// that add up, known states, addresses that a JavaScript number can hold.
// The package is data and its two encodings; it knows no allocator.
package memviz

import (
	"fmt"
	"slices"
)

// Actions of an [Event], in the words of the format.
const (
	ActionAlloc         = "alloc"
	ActionFreeRequested = "free_requested"
	ActionFreeCompleted = "free_completed"
	ActionSegmentAlloc  = "segment_alloc"
	ActionSegmentFree   = "segment_free"
	ActionSegmentMap    = "segment_map"
	ActionSegmentUnmap  = "segment_unmap"
	ActionSnapshot      = "snapshot"
	ActionOOM           = "oom"
)

// States of a [Block]. PyTorch's own documentation calls the second one
// active_awaiting_free; its code, and so its viewer, does not.
const (
	StateAllocated   = "active_allocated"
	StatePendingFree = "active_pending_free"
	StateInactive    = "inactive"
)

// MaxAddress is the first address that the viewer would round: it keeps
// addresses in floating-point numbers.
const MaxAddress = 1 << 53

// Snapshot is one moment of one process. All sizes are bytes, all times
// microseconds since the Unix epoch.
type Snapshot struct {
	Segments []Segment    `json:"segments"`
	Traces   [][]Event    `json:"device_traces"` // one list a device ordinal, oldest event first
	Settings Settings     `json:"allocator_settings"`
	Notes    []Annotation `json:"external_annotations"`
}

// Frame is one call of a stack.
type Frame struct {
	Filename string `json:"filename"`
	Line     int    `json:"line"`
	Name     string `json:"name"`
}

// Segment is one piece of memory taken from the driver.
type Segment struct {
	Device      int     `json:"device"`
	Address     uint64  `json:"address"`
	TotalSize   int64   `json:"total_size"`
	Allocated   int64   `json:"allocated_size"` // bytes in blocks of state active_allocated
	Active      int64   `json:"active_size"`    // the same plus those pending free
	Requested   int64   `json:"requested_size"` // what the callers of the active ones asked for
	Stream      uint64  `json:"stream"`         // 0 is the default stream
	SegmentType string  `json:"segment_type"`   // small or large
	PoolID      [2]int  `json:"segment_pool_id"`
	Expandable  bool    `json:"is_expandable"`
	Frames      []Frame `json:"frames"`
	Blocks      []Block `json:"blocks"` // by address, without gaps
}

// Block is a part of a segment.
type Block struct {
	Address   uint64  `json:"address"`
	Size      int64   `json:"size"`
	Requested int64   `json:"requested_size"`
	State     string  `json:"state"`
	Frames    []Frame `json:"frames"`
	Tag       string  `json:"user_metadata,omitempty"`
}

// Event is one step of the allocator.
type Event struct {
	Action     string  `json:"action"`
	Addr       uint64  `json:"addr"`
	DeviceFree int64   `json:"device_free,omitempty"` // of action oom, which has no address
	Size       int64   `json:"size"`
	Stream     uint64  `json:"stream"`
	TimeUS     int64   `json:"time_us"`
	Compile    string  `json:"compile_context,omitempty"`
	Tag        string  `json:"user_metadata,omitempty"`
	PoolID     [2]int  `json:"pool_id"`
	Frames     []Frame `json:"frames"`
}

// Settings are the allocator's, in PyTorch's words.
type Settings struct {
	Conf            string         `json:"PYTORCH_CUDA_ALLOC_CONF"`
	MaxSplitSize    int64          `json:"max_split_size"` // -1: no limit
	GCThreshold     float64        `json:"garbage_collection_threshold"`
	Expandable      bool           `json:"expandable_segments"`
	RegisterThreads int64          `json:"pinned_num_register_threads"`
	ReleaseLock     bool           `json:"release_lock_on_cudamalloc"`
	HostRegister    bool           `json:"pinned_use_cuda_host_register"`
	RoundupPower2   map[string]int `json:"roundup_power2_divisions"`
	ThrowOnOOM      bool           `json:"throw_on_cudamalloc_oom,omitempty"`
	MemoryFraction  float64        `json:"per_process_memory_fraction,omitempty"`
	Policy          string         `json:"gpumem_policy,omitempty"`  // ours: pytorch or best
	Dropped         int64          `json:"gpumem_dropped,omitempty"` // ours: events older than the trace
}

// Annotation is a named moment, drawn by the viewer as a mark.
type Annotation struct {
	Device int    `json:"device"`
	TimeUS int64  `json:"time_us"`
	Name   string `json:"name"`
	Stage  string `json:"stage"` // START or END
}

// NewSettings returns the settings of an allocator that nobody configured.
func NewSettings() Settings {
	s := Settings{MaxSplitSize: -1, RegisterThreads: 1, RoundupPower2: map[string]int{}}
	for i := range 16 {
		s.RoundupPower2[fmt.Sprint(1<<i)] = 0
	}
	return s
}

// Check reports the first thing in s that the viewer, or the sums that people
// take over segments, would get wrong: one line that says where.
func (s *Snapshot) Check() error {
	for i := range s.Segments {
		if err := s.Segments[i].check(); err != nil {
			return fmt.Errorf("snapshot: segment %d at %#x: %w", i, s.Segments[i].Address, err)
		}
	}
	for device, events := range s.Traces {
		for i := range events {
			if err := events[i].check(); err != nil {
				return fmt.Errorf("snapshot: event %d of device %d: %w", i, device, err)
			}
		}
	}
	return nil
}

func (g *Segment) check() error {
	if g.Device < 0 {
		return fmt.Errorf("device %d is negative", g.Device)
	}
	if g.SegmentType != "small" && g.SegmentType != "large" {
		return fmt.Errorf("segment type %q is neither small nor large", g.SegmentType)
	}
	if g.TotalSize < 0 || g.Address >= MaxAddress || uint64(g.TotalSize) >= MaxAddress-g.Address {
		return fmt.Errorf("%d bytes from there do not fit below 2^53, where the viewer rounds addresses", g.TotalSize)
	}
	var allocated, active, inactive int64
	next := g.Address
	for i, b := range g.Blocks {
		if b.Address != next {
			return fmt.Errorf("block %d begins at %#x, and the one before it ends at %#x", i, b.Address, next)
		}
		if b.Size <= 0 || b.Size > g.TotalSize {
			return fmt.Errorf("block %d has %d bytes of the segment's %d", i, b.Size, g.TotalSize)
		}
		next += uint64(b.Size)
		switch b.State {
		case StateAllocated:
			allocated += b.Size
			active += b.Size
		case StatePendingFree:
			active += b.Size
		case StateInactive:
			inactive += b.Size
		default:
			return fmt.Errorf("block %d has the unknown state %q", i, b.State)
		}
	}
	if active+inactive != g.TotalSize {
		return fmt.Errorf("its blocks have %d bytes together and the segment %d", active+inactive, g.TotalSize)
	}
	if allocated != g.Allocated || active != g.Active {
		return fmt.Errorf("its blocks have %d bytes allocated and %d active, and the segment says %d and %d",
			allocated, active, g.Allocated, g.Active)
	}
	return nil
}

// actions lists every action that the viewer knows.
var actions = []string{ActionAlloc, ActionFreeRequested, ActionFreeCompleted, ActionSegmentAlloc, ActionSegmentFree,
	ActionSegmentMap, ActionSegmentUnmap, ActionSnapshot, ActionOOM}

func (e *Event) check() error {
	if !slices.Contains(actions, e.Action) {
		return fmt.Errorf("unknown action %q", e.Action)
	}
	if e.Addr >= MaxAddress {
		return fmt.Errorf("address %#x is not below 2^53, where the viewer rounds addresses", e.Addr)
	}
	if e.Size < 0 {
		return fmt.Errorf("size %d is negative", e.Size)
	}
	return nil
}

// Reserved, Allocated and Active sum the segments of one device, or of all
// devices for a negative ordinal.
func (s *Snapshot) Reserved(device int) int64 {
	return s.sum(device, func(g *Segment) int64 { return g.TotalSize })
}

// Allocated sums the bytes that callers hold; see [Snapshot.Reserved].
func (s *Snapshot) Allocated(device int) int64 {
	return s.sum(device, func(g *Segment) int64 { return g.Allocated })
}

// Active sums the bytes that callers or running kernels hold; see [Snapshot.Reserved].
func (s *Snapshot) Active(device int) int64 {
	return s.sum(device, func(g *Segment) int64 { return g.Active })
}

func (s *Snapshot) sum(device int, of func(*Segment) int64) (total int64) {
	for i := range s.Segments {
		if device < 0 || s.Segments[i].Device == device {
			total += of(&s.Segments[i])
		}
	}
	return total
}
