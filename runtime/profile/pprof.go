// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"fmt"
	"io"

	pprof "github.com/google/pprof/profile"

	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// WriteProfile writes s as a gzipped pprof profile. It has the four sample types of
// Go's heap profile, in the same order, so every habit carries over:
// -sample_index=alloc_space, -diff_base, -http. Each sample is labelled with
// its device, pool, stream and tag, and with its block's bytes.
func WriteProfile(w io.Writer, s *memviz.Snapshot) error {
	p := Profile(s)
	if err := p.CheckValid(); err != nil {
		return fmt.Errorf("GPU profile: %w", err)
	}
	if err := p.Write(w); err != nil {
		return fmt.Errorf("GPU profile: %w", err)
	}
	return nil
}

// Profile builds what [WriteProfile] writes.
func Profile(s *memviz.Snapshot) *pprof.Profile {
	p := &pprof.Profile{
		SampleType: []*pprof.ValueType{
			{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"},
			{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"},
		},
		DefaultSampleType: "inuse_space",
		PeriodType:        &pprof.ValueType{Type: "space", Unit: "bytes"},
		Period:            1,
		TimeNanos:         lastEvent(s) * 1000,
		Mapping:           []*pprof.Mapping{{ID: 1, File: "gpumem", HasFunctions: true, HasFilenames: true, HasLineNumbers: true}},
	}
	if s.Settings.Conf != "" {
		p.Comments = append(p.Comments, "allocator settings: "+s.Settings.Conf)
	}
	if s.Settings.Policy != "" {
		p.Comments = append(p.Comments, "allocator policy: "+s.Settings.Policy)
	}
	if s.Settings.Dropped > 0 {
		p.Comments = append(p.Comments, fmt.Sprintf("alloc_objects and alloc_space lack the oldest %d events", s.Settings.Dropped))
	}
	b := &profileBuilder{p: p, functions: map[memviz.Frame]*pprof.Function{}, locations: map[memviz.Frame]*pprof.Location{}}
	for _, site := range Sites(s) {
		p.Sample = append(p.Sample, b.sample(&site))
	}
	return p
}

func lastEvent(s *memviz.Snapshot) (us int64) {
	for _, events := range s.Traces {
		if n := len(events); n > 0 {
			us = max(us, events[n-1].TimeUS)
		}
	}
	return us
}

type profileBuilder struct {
	p         *pprof.Profile
	functions map[memviz.Frame]*pprof.Function
	locations map[memviz.Frame]*pprof.Location
}

func (b *profileBuilder) sample(s *Site) *pprof.Sample {
	out := &pprof.Sample{
		Value:    []int64{s.Alloced.Count, s.Alloced.Bytes, s.Live.Count, s.Live.Bytes},
		Label:    map[string][]string{"device": {itoa(int64(s.Device))}, "pool": {s.Pool}, "stream": {itoa(int64(s.Stream))}},
		NumLabel: map[string][]int64{"bytes": {s.Block}},
		NumUnit:  map[string][]string{"bytes": {"bytes"}},
	}
	if s.Tag != "" {
		out.Label["tag"] = []string{s.Tag}
	}
	frames := s.Frames
	if len(frames) == 0 {
		frames = []memviz.Frame{{Name: "unknown (the allocator was opened without tracking)"}}
	}
	for _, f := range frames {
		out.Location = append(out.Location, b.location(f))
	}
	return out
}

func (b *profileBuilder) location(f memviz.Frame) *pprof.Location {
	if l, ok := b.locations[f]; ok {
		return l
	}
	whole := memviz.Frame{Filename: f.Filename, Name: f.Name} // a function has many lines
	fn, ok := b.functions[whole]
	if !ok {
		fn = &pprof.Function{ID: uint64(len(b.p.Function) + 1), Name: f.Name, SystemName: f.Name, Filename: f.Filename}
		b.functions[whole] = fn
		b.p.Function = append(b.p.Function, fn)
	}
	l := &pprof.Location{ID: uint64(len(b.p.Location) + 1), Mapping: b.p.Mapping[0], Line: []pprof.Line{{Function: fn, Line: int64(f.Line)}}}
	b.locations[f] = l
	b.p.Location = append(b.p.Location, l)
	return l
}
