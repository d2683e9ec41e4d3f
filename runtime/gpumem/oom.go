// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

// OOMKind is why an allocation failed.
type OOMKind uint8

// The causes, from the one to check first.
const (
	// OOMExhausted: live buffers need the memory; nothing else would help.
	OOMExhausted OOMKind = iota
	// OOMFragmented: enough bytes are free, but not in one piece.
	OOMFragmented
	// OOMLimit: the device has the memory, the limit forbids it.
	OOMLimit
	// OOMForeign: memory outside this allocator takes what is missing.
	OOMForeign
)

var oomKindNames = [...]string{"exhausted", "fragmented", "limit", "foreign"}

// String gives the cause as one word.
func (k OOMKind) String() string {
	if int(k) < len(oomKindNames) {
		return oomKindNames[k]
	}
	return "unknown"
}

// Attempt is one rung of the retry ladder that an allocation climbed.
type Attempt struct {
	Step     string // "driver", "gc", "oversize", "cache", "finalizers", "observer", "wait"
	Released int64  // bytes that the step gave back
	Failed   string // why the driver still said no; empty where it was not asked
}

// SiteUse is what one call site holds.
type SiteUse struct {
	Site  SiteID
	Bytes int64 // rounded bytes in use
	Count int64 // buffers in use
}

// OOMError says why an allocation failed and what holds the memory. It holds
// no buffer, so keeping it pins nothing. errors.Is(err, ErrOutOfMemory) holds.
type OOMError struct {
	Kind      OOMKind
	Device    string // name and ordinal
	Requested int64  // bytes asked for
	Rounded   int64  // bytes that the driver would have had to give
	Stream    StreamHandle

	Limit       int64 // limit in force, 0 where there is none
	DeviceTotal int64
	DeviceFree  int64
	Allocated   int64
	Active      int64
	Reserved    int64
	LargestFree int64 // largest free block that the cache had at the end
	TotalFree   int64 // free bytes inside reserved segments at the end
	Outside     int64 // bytes used on the device outside this allocator

	Attempts  []Attempt
	Processes []Process
	Top       []SiteUse   // largest holders first, at most 10
	Pinning   []BlockInfo // the few blocks that keep the best segment from being reused
	Occupancy string      // 100 characters: '*' used, 'x' rounding, '_' free
	Hints     []string    // what to change, given the active configuration
}
