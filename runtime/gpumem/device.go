// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Device allocates the memory of one device. All its methods may be called
// from any goroutine.
type Device struct {
	drv     Driver
	vmm     VMM // nil where memory is not mapped
	watcher BlockWatcher
	info    DeviceInfo
	name    string

	// Set by Open, read-only afterwards.
	policy        Policy
	conf          Conf
	tracking      Tracking
	rescue        bool
	noCache       bool
	target        float64 // of PolicyBest; 0 is the default
	pressureGC    bool
	timed         bool             // births have a time
	spills        bool             // contended heaps get others beside them
	countSearches bool             // the threshold collector needs ages
	clock         func() time.Time // nil is the real one
	opened        time.Time
	hist          *history
	stream0       *Stream
	pool0         *poolState
	_             cacheLine // every allocation reads what is above and just below

	limit     atomic.Int64
	closed    atomic.Bool
	multi     atomic.Bool  // more than one heap
	attention atomic.Int32 // closed buffers that wait for streams, or lost ones
	step      atomic.Int64
	waiters   atomic.Int32 // allocations that wait for memory
	observer  atomic.Pointer[observer]
	others    atomic.Pointer[ProcessLister] // who else uses the device
	_         cacheLine

	// slow serialises misses, so that goroutines that miss together do not
	// all ask the driver. It is taken before any heap's lock.
	slow   sync.Mutex
	thrash thrash
	pend   pendingEvents
	freed  *sync.Cond // guards closes
	closes int64
	acct   account
	events eventPool
	peaks  peakSum
	base   table // freed before the last ResetAccumulated; guarded by peaks.mu
	floor  table // and live then
	hooks  hooks
	lost   lostQueue
	live   registry

	// heapMu guards what follows.
	heapMu    sync.Mutex
	heaps     map[heapKey]*heap
	order     []*heap // by (pool, stream)
	heapCount uint64
	pools     []*poolState
}

// cacheLine keeps what is written often off the lines that are read often.
type cacheLine [64]byte

type heapKey struct {
	pool   PoolID
	stream StreamHandle
}

// Open makes a device's memory available through drv. Close it when done.
func Open(drv Driver, opts ...Option) (*Device, error) {
	if drv == nil {
		return nil, fmt.Errorf("open device: no driver: %w", ErrInvalid)
	}
	c := config{conf: DefaultConf(), pressureGC: true}
	for _, o := range opts {
		o(&c)
	}
	if err := c.finish(); err != nil {
		return nil, fmt.Errorf("open device: %w", err)
	}
	info, err := drv.Info()
	if err != nil {
		return nil, fmt.Errorf("open device: %w", err)
	}
	d := &Device{
		drv: drv, info: info, name: c.name, policy: c.policy, conf: c.conf,
		tracking: c.tracking, rescue: c.rescue, noCache: c.noCache, target: c.target, pressureGC: c.pressureGC,
		timed: c.tracking != TrackOff || c.history > 0, clock: c.now, opened: time.Now(),
		heaps: map[heapKey]*heap{},
	}
	if d.name == "" {
		d.name = info.Name
	}
	if c.conf.Expandable {
		v, ok := drv.(VMM)
		if !ok {
			return nil, fmt.Errorf("open device: expandable_segments: the driver of %s cannot map memory", d.name)
		}
		d.vmm = v
	}
	if w, ok := drv.(BlockWatcher); ok && w.WatchBlocks() {
		d.watcher = w
	}
	limit := c.limit
	if c.conf.Fraction > 0 && limit == 0 {
		limit = int64(c.conf.Fraction * float64(info.Total))
	}
	d.limit.Store(limit)
	d.countSearches = c.policy == PolicyPyTorch && c.conf.GCThreshold > 0
	if c.history > 0 {
		d.hist = newHistory(c.history)
	}
	d.spills = c.policy == PolicyBest && !c.noCache
	d.freed = sync.NewCond(&sync.Mutex{})
	d.events.drv = drv
	d.live.init()
	d.pool0 = &poolState{dev: d}
	d.pools = []*poolState{d.pool0}
	d.stream0 = &Stream{dev: d, heap: d.heapFor(d.pool0, 0)}
	openDevices.add(d)
	return d, nil
}

// finish checks the options and joins those that say the same thing.
func (c *config) finish() error {
	if os.Getenv("GPUMEM_NO_CACHE") == "1" {
		c.noCache = true
	}
	if c.limit < 0 || c.history < 0 {
		return fmt.Errorf("negative limit or history: %w", ErrInvalid)
	}
	if t := c.conf.GCThreshold; t < 0 || t >= 1 {
		return fmt.Errorf("collection threshold %g is not in [0, 1): %w", t, ErrInvalid)
	}
	if c.target < 0 || c.target > 1 {
		return fmt.Errorf("target utilisation %g is not in [0, 1]: %w", c.target, ErrInvalid)
	}
	if c.confText == "" {
		return nil
	}
	conf, err := ParseConf(c.confText)
	if err != nil {
		return err
	}
	if conf.GCThreshold == 0 {
		conf.GCThreshold = c.conf.GCThreshold
	}
	c.conf = conf
	return nil
}

// Info says which device this is.
func (d *Device) Info() DeviceInfo { return d.info }

// Name is the device's name in reports.
func (d *Device) Name() string { return d.name }

// Driver is the driver that the device was opened with.
func (d *Device) Driver() Driver { return d.drv }

// Policy is the policy in force.
func (d *Device) Policy() Policy { return d.policy }

// Conf are the settings in force.
func (d *Device) Conf() Conf { return d.conf }

// Tracking is how much is remembered of each buffer.
func (d *Device) Tracking() Tracking { return d.tracking }

// Limit is the bound on reserved bytes, 0 where there is none.
func (d *Device) Limit() int64 { return d.limit.Load() }

// SetLimit changes the bound on reserved bytes and returns the old one. A
// limit below what is reserved fails later misses; it frees nothing itself.
func (d *Device) SetLimit(n int64) (old int64) { return d.limit.Swap(max(n, 0)) }

// Step marks the end of a step or iteration; leak reports give ages in steps.
func (d *Device) Step() int64 { return d.step.Add(1) }

// Steps is how often Step was called.
func (d *Device) Steps() int64 { return d.step.Load() }

// heapFor gives the heap of a stream in a pool, new where there is none.
func (d *Device) heapFor(p *poolState, s StreamHandle) *heap {
	key := heapKey{p.id, s}
	d.heapMu.Lock()
	h := d.heaps[key]
	d.heapMu.Unlock()
	if h != nil {
		return h
	}
	d.peaks.mu.Lock() // before heapMu, as everywhere
	defer d.peaks.mu.Unlock()
	d.heapMu.Lock()
	defer d.heapMu.Unlock()
	if h := d.heaps[key]; h != nil {
		return h
	}
	h = d.newHeap(p, s)
	d.heaps[key] = h
	add := []*heap{h}
	if d.policy == PolicyBest && d.vmm != nil {
		h.paged = d.newHeap(p, s)
		add = append(add, h.paged)
	}
	i, _ := slices.BinarySearchFunc(d.order, key, func(h *heap, k heapKey) int {
		return cmp.Or(cmp.Compare(h.pool.id, k.pool), cmp.Compare(h.stream, k.stream))
	})
	d.order = slices.Insert(slices.Clone(d.order), i, add...) // readers keep the slice they loaded
	if len(d.order) > 1 {
		d.goMulti()
	}
	return h
}

// newHeap makes a heap; heapMu is held.
func (d *Device) newHeap(p *poolState, s StreamHandle) *heap {
	d.heapCount++
	return &heap{dev: d, stream: s, pool: p, base: d.heapCount << 40}
}

// allHeaps gives the heaps in the order (pool, stream).
func (d *Device) allHeaps() []*heap {
	d.heapMu.Lock()
	defer d.heapMu.Unlock()
	return d.order
}

// stamp is the time for history entries, in nanoseconds; 0 where none is kept.
func (d *Device) stamp() int64 {
	if !d.timed {
		return 0
	}
	return d.now().UnixNano()
}

// now is the time. Reading the monotonic clock alone takes half as long as
// time.Now.
func (d *Device) now() time.Time {
	if d.clock != nil {
		return d.clock()
	}
	return d.opened.Add(time.Since(d.opened))
}

// Close releases everything and closes the driver. Where buffers or other
// resources are live, it releases them all the same and returns an error that
// matches ErrLeak and names them.
func (d *Device) Close() error {
	if d.closed.Swap(true) {
		return fmt.Errorf("close device %s: %w", d.name, ErrClosed)
	}
	openDevices.remove(d)
	d.drainLost()
	leak := d.leakError()
	d.slow.Lock()
	defer d.slow.Unlock()
	err := errors.Join(leak, d.pend.syncAll(d), d.releaseEverything())
	err = errors.Join(err, d.live.destroy(), d.events.close(), d.drv.Close())
	d.freed.L.Lock()
	d.freed.Broadcast() // waiters see that the device is closed
	d.freed.L.Unlock()
	return err
}
