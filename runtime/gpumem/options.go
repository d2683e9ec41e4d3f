// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"context"
	"time"
)

// Policy is a set of rules for where buffers go and when the driver is asked.
type Policy uint8

const (
	// PolicyBest reserves little: it sizes segments to the need, gives free
	// segments back before it grows past its earlier peak, and lets streams
	// reuse each other's memory behind a wait. It is the default.
	PolicyBest Policy = iota
	// PolicyPyTorch takes the decisions of PyTorch's CUDA caching allocator.
	PolicyPyTorch
)

// String gives the policy's name on the command line.
func (p Policy) String() string {
	if p == PolicyPyTorch {
		return "pytorch"
	}
	return "best"
}

// Tracking is how much is remembered about who holds a buffer.
type Tracking uint8

const (
	// TrackOff remembers nothing but what At and Tag give.
	TrackOff Tracking = iota
	// TrackSite remembers the caller.
	TrackSite
	// TrackStack remembers up to 16 frames.
	TrackStack
)

// config is what Open's options fill.
type config struct {
	conf       Conf
	confText   string
	policy     Policy
	limit      int64
	tracking   Tracking
	history    int
	pressureGC bool
	rescue     bool
	noCache    bool
	name       string
	target     float64
	now        func() time.Time
}

// Option configures Open.
type Option func(*config)

// WithPolicy chooses the policy; the default is PolicyBest.
func WithPolicy(p Policy) Option { return func(c *config) { c.policy = p } }

// WithTarget sets how much of what PolicyBest reserves is to be active at the
// peak, between 0 and 1. More costs more driver calls; 0 is the default, which
// is 0.95, 0.99 with mapped memory and 0.85 with several streams.
func WithTarget(f float64) Option { return func(c *config) { c.target = f } }

// WithLimit bounds the bytes reserved from the driver; 0 is no limit.
func WithLimit(n int64) Option { return func(c *config) { c.limit = n } }

// WithGCThreshold gives cached segments back once reserved bytes exceed the
// fraction f of the limit. It needs a limit; 0 is off.
func WithGCThreshold(f float64) Option {
	return func(c *config) { c.conf.GCThreshold = f }
}

// WithConf sets options in the syntax of PYTORCH_CUDA_ALLOC_CONF. Open fails
// where the text has a mistake. PyTorch's own variable is not read.
// PolicyBest heeds rounding, the memory fraction, the collection threshold and
// whether memory is mapped; how blocks are split is its own affair.
func WithConf(s string) Option { return func(c *config) { c.confText = s } }

// WithSettings sets options that are parsed already; see [ParseConf].
func WithSettings(conf Conf) Option { return func(c *config) { c.conf = conf } }

// WithTracking chooses how much is remembered of each buffer.
func WithTracking(t Tracking) Option { return func(c *config) { c.tracking = t } }

// WithHistory keeps the last n events; 0 keeps none.
func WithHistory(n int) Option { return func(c *config) { c.history = n } }

// WithRescue makes the device notice buffers and views that the program has lost
// without Close: once the garbage collector finds one, its memory is released
// and counted in Stats.FinalizerFrees; see [Device.Lost]. Each allocation then
// costs a small Go object.
func WithRescue(on bool) Option { return func(c *config) { c.rescue = on } }

// WithPressureGC chooses whether a failing allocation runs the garbage
// collector, so that cleanups release what the program has lost, before it
// gives up; the default is true.
func WithPressureGC(on bool) Option { return func(c *config) { c.pressureGC = on } }

// WithNoCache passes every allocation to the driver and every Close back, so
// that tools such as compute-sanitizer see them. It is slow. The environment
// variable GPUMEM_NO_CACHE=1 does the same for every device of a program.
func WithNoCache() Option { return func(c *config) { c.noCache = true } }

// WithName sets the device's name in reports; the default is the driver's.
func WithName(name string) Option { return func(c *config) { c.name = name } }

// WithClock replaces time.Now for ages and history, for reproducible output.
func WithClock(now func() time.Time) Option { return func(c *config) { c.now = now } }

type optKind uint8

const (
	optStream optKind = iota
	optPool
	optTag
	optSite
	optWait
)

// AllocOption modifies one allocation. It is a plain value so that a call with
// options allocates no Go memory.
type AllocOption struct {
	kind   optKind
	site   SiteID
	stream *Stream
	pool   *Pool
	tag    string
	ctx    context.Context
}

// On allocates for use on s; without it, the default stream is meant.
func On(s *Stream) AllocOption { return AllocOption{kind: optStream, stream: s} }

// In allocates from a private pool.
func In(p *Pool) AllocOption { return AllocOption{kind: optPool, pool: p} }

// Tag names what the buffer is for; reports group by it.
func Tag(tag string) AllocOption { return AllocOption{kind: optTag, tag: tag} }

// At sets the place that reports show, in place of the caller.
func At(site SiteID) AllocOption { return AllocOption{kind: optSite, site: site} }

// Wait lets a failing allocation wait, until ctx is done, for another
// goroutine to release memory.
func Wait(ctx context.Context) AllocOption { return AllocOption{kind: optWait, ctx: ctx} }
