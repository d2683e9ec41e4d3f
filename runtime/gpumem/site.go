// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// SiteID names a place in the program: an interned call stack, or a place that
// generated code has registered. 0 is no place. Ids are process-wide.
type SiteID uint32

// maxFrames is the deepest stack that is kept; the leaf is the most useful end.
const maxFrames = 16

// siteBuckets is a power of two; a large program allocates device memory at
// some hundreds of places.
const siteBuckets = 1 << 12

// siteTable interns stacks. A known stack costs one hash, one lock-free look-up
// and one compare.
type siteTable struct {
	byPC [siteBuckets]atomic.Pointer[siteNode] // by hash; chains only grow at their head

	mu    sync.Mutex
	sites atomic.Pointer[[]siteEntry] // index SiteID-1; grows by copy
}

type siteNode struct {
	id   SiteID
	pcs  []uintptr
	next *siteNode
}

type siteEntry struct {
	pcs  []uintptr
	name string // set for registered sites
}

var sites siteTable

// RegisterSite gives an id to a place that is known by name, such as
// "cache.go:41 load"; equal names give equal ids. Pass the id with [At].
func RegisterSite(name string) SiteID {
	sites.mu.Lock()
	defer sites.mu.Unlock()
	for i, s := range sites.list() {
		if s.pcs == nil && s.name == name {
			return SiteID(i + 1)
		}
	}
	return sites.add(siteEntry{name: name})
}

// InternStack gives the id of a call stack as runtime.Callers returns it,
// leaf first. It copies pcs. A stack seen before costs no memory.
func InternStack(pcs []uintptr) SiteID {
	if len(pcs) == 0 {
		return 0
	}
	return sites.intern(pcs)
}

// Frames gives the place's call stack, leaf first. A registered site has one
// frame whose Function is its name. Symbols are resolved here, not before.
func (id SiteID) Frames() []runtime.Frame {
	list := sites.list()
	if id == 0 || int(id) > len(list) {
		return nil
	}
	e := list[id-1]
	if e.pcs == nil {
		return []runtime.Frame{{Function: e.name}}
	}
	var out []runtime.Frame
	frames := runtime.CallersFrames(e.pcs)
	for {
		f, more := frames.Next()
		out = append(out, f)
		if !more {
			return out
		}
	}
}

// PCs gives the program counters of the place, nil for a registered site. The
// caller does not change them.
func (id SiteID) PCs() []uintptr {
	list := sites.list()
	if id == 0 || int(id) > len(list) {
		return nil
	}
	return list[id-1].pcs
}

// String gives the leaf as "file.go:41 pkg.Func", "unknown" for 0.
func (id SiteID) String() string {
	frames := id.Frames()
	if len(frames) == 0 {
		return "unknown"
	}
	f := frames[0]
	if f.File == "" {
		return f.Function
	}
	return baseName(f.File) + ":" + strconv.Itoa(f.Line) + " " + baseName(f.Function)
}

// baseName is what follows the last slash.
func baseName(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}

func (t *siteTable) list() []siteEntry {
	if p := t.sites.Load(); p != nil {
		return *p
	}
	return nil
}

// add appends an entry; t.mu is held. Readers keep the slice they loaded, and
// append never changes an element that they can see.
func (t *siteTable) add(e siteEntry) SiteID {
	list := append(t.list(), e)
	t.sites.Store(&list)
	return SiteID(len(list))
}

func (t *siteTable) intern(pcs []uintptr) SiteID {
	bucket := &t.byPC[hashPCs(pcs)%siteBuckets]
	if id := bucket.Load().find(pcs); id != 0 {
		return id
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	head := bucket.Load()
	if id := head.find(pcs); id != 0 {
		return id // somebody was faster
	}
	own := slices.Clone(pcs)
	id := t.add(siteEntry{pcs: own})
	bucket.Store(&siteNode{id: id, pcs: own, next: head})
	return id
}

func (n *siteNode) find(pcs []uintptr) SiteID {
	for ; n != nil; n = n.next {
		if slices.Equal(n.pcs, pcs) {
			return n.id
		}
	}
	return 0
}

// hashPCs mixes the program counters; equality is checked after it, so it
// only has to spread.
func hashPCs(pcs []uintptr) uint64 {
	h := uint64(len(pcs)) * 0x9e3779b97f4a7c15
	for _, pc := range pcs {
		h ^= uint64(pc)
		h *= 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}
