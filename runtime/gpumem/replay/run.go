// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Segments chooses how memory comes from the driver.
type Segments uint8

const (
	SegmentsConf  Segments = iota // as the recorded run had it
	SegmentsPlain                 // allocated
	SegmentsVMM                   // mapped into reserved addresses
)

// Options say how to run a history.
type Options struct {
	Policy   gpumem.Policy
	Segments Segments
	// Conf replaces the recorded settings, in the same syntax; "" keeps them.
	Conf string
	// Target is the utilisation that PolicyBest aims at; 0 is its default.
	Target float64
	// Open, if not nil, gives the driver to run on in place of the recorded
	// one.
	Open func() gpumem.Driver
}

// Result is what the run took. Sizes are in bytes.
type Result struct {
	Trace         string  `json:"trace"`
	Policy        string  `json:"policy"`
	Segments      string  `json:"segments"` // plain or vmm
	Events        int     `json:"events"`
	PeakRequested int64   `json:"peak_requested"`
	PeakActive    int64   `json:"peak_active"`
	PeakReserved  int64   `json:"peak_reserved"`
	Utilization   float64 `json:"utilization"` // peak_active / peak_reserved
	DriverAllocs  int64   `json:"driver_allocs"`
	DriverFrees   int64   `json:"driver_frees"`
	AllocRetries  int64   `json:"alloc_retries"`
	OOMs          int64   `json:"ooms"`
	StreamWaits   int64   `json:"stream_waits"`
	NsPerEvent    float64 `json:"ns_per_event"`
	// Moved counts the buffers that got another address than recorded, under
	// PolicyPyTorch.
	Moved    int       `json:"moved,omitempty"`
	Recorded *Recorded `json:"recorded,omitempty"`

	Stats gpumem.Stats `json:"-"`
}

// player is one run.
type player struct {
	t     *Trace
	dev   *gpumem.Device
	rec   *recorded // nil on another driver
	conf  gpumem.Conf
	exact bool // the recorded allocator's decisions are expected

	live    map[gpumem.Ptr]gpumem.Buffer // by recorded address
	streams map[gpumem.StreamHandle]*gpumem.Stream
	late    map[gpumem.Ptr]gpumem.StreamHandle // closed, but completed later
	uses    uint64
	moved   int
	retries int64 // of the recorded ones, that were placed
	tidy    []int // events since the last allocation or free that the allocator made itself
}

// Run plays a history. A history that contradicts itself is an error that
// names the event.
func Run(t *Trace, o Options) (*Result, error) {
	conf, err := t.conf()
	if err != nil {
		return nil, fmt.Errorf("replay %s: %w", t.Name, err)
	}
	if o.Conf != "" {
		if conf, err = gpumem.ParseConf(o.Conf); err != nil {
			return nil, fmt.Errorf("replay %s: %w", t.Name, err)
		}
	}
	switch o.Segments {
	case SegmentsPlain:
		conf.Expandable = false
	case SegmentsVMM:
		conf.Expandable = true
	}
	p := &player{t: t, conf: conf, exact: o.Policy == gpumem.PolicyPyTorch, live: map[gpumem.Ptr]gpumem.Buffer{},
		streams: map[gpumem.StreamHandle]*gpumem.Stream{}, late: map[gpumem.Ptr]gpumem.StreamHandle{}}
	var drv gpumem.Driver
	if o.Open != nil {
		drv = o.Open()
	} else {
		p.rec = newRecorded(t)
		drv = p.rec
	}
	p.dev, err = gpumem.Open(drv, gpumem.WithPolicy(o.Policy), gpumem.WithSettings(conf), gpumem.WithLimit(t.Limit),
		gpumem.WithTarget(o.Target),
		gpumem.WithPressureGC(false))
	if err != nil {
		return nil, fmt.Errorf("replay %s: %w", t.Name, err)
	}
	start := time.Now()
	for i := range t.Events {
		if err := p.event(i); err != nil {
			return nil, errors.Join(fmt.Errorf("replay %s: event %d (%s): %w", t.Name, i, t.Events[i].Action, err), p.close())
		}
	}
	took := time.Since(start)
	r := p.result(o, took)
	return r, p.close()
}

// close ends the run; what the history left alive is no error.
func (p *player) close() error {
	if err := p.dev.Close(); err != nil && !errors.Is(err, gpumem.ErrLeak) {
		return fmt.Errorf("replay %s: %w", p.t.Name, err)
	}
	return nil
}

func (p *player) result(o Options, took time.Duration) *Result {
	r := &Result{Trace: p.t.Name, Policy: o.Policy.String(), Segments: "plain", Events: len(p.t.Events),
		Moved: p.moved, Recorded: p.t.Recorded}
	if p.conf.Expandable {
		r.Segments = "vmm"
	}
	s := &r.Stats
	p.dev.ReadStats(s)
	r.PeakRequested, r.PeakActive, r.PeakReserved = s.RequestedBytes.All.Peak, s.ActiveBytes.All.Peak, s.ReservedBytes.All.Peak
	r.Utilization = s.Utilization()
	r.DriverAllocs, r.DriverFrees = s.NumDeviceAlloc, s.NumDeviceFree
	r.AllocRetries, r.OOMs, r.StreamWaits = s.NumAllocRetries, s.NumOOMs, s.StreamWaits
	if len(p.t.Events) > 0 {
		r.NsPerEvent = float64(took.Nanoseconds()) / float64(len(p.t.Events))
	}
	return r
}

// event plays event i. What the program did is done again; what the recorded
// allocator did by itself is left to ours.
func (p *player) event(i int) error {
	e := &p.t.Events[i]
	switch e.Action {
	case gpumem.ActionAlloc, gpumem.ActionOOM:
		if err := p.settle(i); err != nil {
			return err
		}
		return p.alloc(e)
	case gpumem.ActionFreeRequested:
		if err := p.settle(i); err != nil {
			return err
		}
		return p.free(i)
	case gpumem.ActionSnapshot:
		return nil
	default:
		p.tidy = append(p.tidy, i)
		return nil
	}
}

func (p *player) stream(h gpumem.StreamHandle) *gpumem.Stream {
	s := p.streams[h]
	if s == nil {
		s = p.dev.WrapStream(h)
		p.streams[h] = s
	}
	return s
}

func (p *player) alloc(e *gpumem.Entry) error {
	if e.Action == gpumem.ActionOOM && p.rec != nil && p.t.Limit == 0 {
		// No limit failed the request, so the device did, whatever was tried.
		p.rec.refuse = math.MaxInt
		defer func() { p.rec.refuse = 0 }()
		p.retries++
	}
	b, err := p.dev.Alloc(e.Size, gpumem.On(p.stream(e.Stream)))
	if e.Action == gpumem.ActionOOM {
		// The recorded allocator failed; ours may do better, then the buffer
		// goes back at once, because the program never had it.
		if err != nil && !errors.Is(err, gpumem.ErrOutOfMemory) {
			return err
		}
		if err == nil {
			return b.Close()
		}
		return nil
	}
	if err != nil {
		return err
	}
	if _, ok := p.live[e.Addr]; ok {
		return fmt.Errorf("address %v is allocated twice", e.Addr)
	}
	if p.exact && b.Ptr() != e.Addr {
		p.moved++
	}
	p.live[e.Addr] = b
	return nil
}

// free closes a buffer. Where the history has the completion later, another
// stream still used the memory.
func (p *player) free(i int) error {
	e := &p.t.Events[i]
	b, ok := p.live[e.Addr]
	if !ok && p.t.Partial {
		return nil // allocated before the history begins
	}
	if !ok {
		return fmt.Errorf("address %v is freed but not allocated", e.Addr)
	}
	delete(p.live, e.Addr)
	if i+1 < len(p.t.Events) {
		next := &p.t.Events[i+1]
		if next.Action == gpumem.ActionFreeCompleted && next.Addr == e.Addr {
			return b.Close()
		}
	}
	if p.rec == nil {
		return b.Close() // another driver knows nothing of the recorded streams
	}
	// Which stream it was is not recorded, only when it was done: a stream
	// made up for this one use says the same.
	p.uses++
	s := gpumem.StreamHandle(1<<63 | p.uses)
	p.late[e.Addr] = s
	p.rec.pending[s] = true
	if err := b.UsedOnHandle(s); err != nil {
		return err
	}
	return b.Close()
}

// settle looks at what the recorded allocator did by itself before event i:
// frees that completed, segments that went back or came.
func (p *player) settle(i int) error {
	tidy := p.tidy
	p.tidy = p.tidy[:0]
	if len(tidy) == 0 {
		return nil
	}
	var completed []gpumem.StreamHandle
	gave, got := false, false
	syncedAfterGive := len(tidy) // first completion that follows a segment's release
	for j, k := range tidy {
		e := &p.t.Events[k]
		switch e.Action {
		case gpumem.ActionFreeCompleted:
			s, ok := p.late[e.Addr]
			if !ok {
				continue // directly after its request: done
			}
			delete(p.late, e.Addr)
			if gave {
				syncedAfterGive = min(syncedAfterGive, j)
				continue
			}
			completed = append(completed, s)
		case gpumem.ActionSegmentFree, gpumem.ActionSegmentUnmap:
			gave = true
		case gpumem.ActionSegmentAlloc, gpumem.ActionSegmentMap:
			got = true
		}
	}
	if p.rec == nil {
		return nil
	}
	e := &p.t.Events[i]
	byItself := gave && got && e.Action != gpumem.ActionFreeRequested && p.mayRelease(e.Size)
	if e.Action == gpumem.ActionOOM {
		byItself = gave
	} else if gave && got && p.deviceFull() {
		// Without a limit, memory that went back to make room for the next
		// segment means that the device had refused that one.
		p.rec.refuse = 1
		p.retries++
		return nil
	}
	if byItself && p.mustRetry(e.Size) {
		// The allocator waited for the streams because it ran out of room:
		// leave that to ours, which does the same at the same point.
		return nil
	}
	for _, s := range completed {
		delete(p.rec.pending, s)
	}
	if gave && !byItself && p.exact {
		// Nothing in the rules makes the allocator do this here: the program
		// emptied the cache.
		_, err := p.dev.Trim(0)
		return err
	}
	return nil
}

// deviceFull reports whether the recording has retries left that no limit
// explains.
func (p *player) deviceFull() bool {
	return p.exact && p.t.Limit == 0 && p.t.Recorded != nil && p.retries < p.t.Recorded.Retries
}

// mayRelease reports whether the rules let the allocator give memory back to
// make room for size bytes.
func (p *player) mayRelease(size int64) bool {
	if p.t.Limit == 0 {
		return false
	}
	var s gpumem.Stats
	p.dev.ReadStats(&s)
	limit := float64(p.t.Limit)
	return p.mustRetry(size) || p.conf.GCThreshold > 0 && float64(s.ReservedBytes.All.Current) > p.conf.GCThreshold*limit
}

// mustRetry reports whether a segment for size bytes exceeds the limit.
func (p *player) mustRetry(size int64) bool {
	if p.t.Limit == 0 {
		return false
	}
	var s gpumem.Stats
	p.dev.ReadStats(&s)
	return s.ReservedBytes.All.Current+p.conf.SegmentSize(size) > p.t.Limit
}
