// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// sampleAge is how old what the driver said may be before it is asked again,
// so that several servers that scrape one program share an answer.
const sampleAge = time.Second

// usage is what the driver said of one GPU, in bytes.
type usage struct {
	total, used int64
	process     int64 // -1 where it is not known
	reserved    int64 // by our devices, at that moment
}

// sample is the last answer. A driver may take milliseconds, so nobody waits
// for it but the first scrape.
type sample struct {
	usage
	ok    bool
	asked bool // a goroutine is asking
	at    time.Time
}

// sample gives what the driver last said of g, and has it asked again where
// that is old. ok is false where it does not answer.
func (c *Collector) sample(g gpuDevices) (u usage, ok bool) {
	c.mu.Lock()
	s := c.samples[g.gpu]
	if s == nil {
		s = &sample{}
		c.samples[g.gpu] = s
		c.mu.Unlock()
		u, err := c.ask(g)
		c.mu.Lock()
		s.usage, s.ok, s.at = u, err == nil, time.Now()
	} else if !s.asked && time.Since(s.at) > sampleAge {
		s.asked = true
		go func() {
			u, err := c.ask(g)
			c.mu.Lock()
			defer c.mu.Unlock()
			s.usage, s.ok, s.at, s.asked = u, err == nil, time.Now(), false
		}()
	}
	u, ok = s.usage, s.ok
	c.mu.Unlock()
	return u, ok
}

// ask asks the driver, or the view.
func (c *Collector) ask(g gpuDevices) (usage, error) {
	u := usage{process: -1}
	for _, d := range g.devices {
		var s gpumem.Stats
		d.ReadStats(&s)
		u.reserved += s.ReservedBytes.All.Current
	}
	if c.view != nil {
		var err error
		u.total, u.used, u.process, err = c.view(g.uuid)
		if err == nil {
			return u, nil
		}
		u.process = -1 // a simulated device, say: its own driver knows
	}
	free, total, err := g.devices[0].Driver().MemInfo()
	u.total, u.used = total, total-free
	return u, err
}
