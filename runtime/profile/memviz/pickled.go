// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package memviz

import (
	"fmt"
	"io"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/profile/pickle"
)

// WritePickle writes s as pickle protocol 4, after checking it. Call stacks
// that lie in the same memory are written once and referred to, so a pickle is
// a good deal smaller than the JSON.
func (s *Snapshot) WritePickle(w io.Writer) error {
	if err := s.Check(); err != nil {
		return err
	}
	p := &pickler{Writer: pickle.NewWriter(w), stacks: map[stackKey]uint32{}}
	p.Dict(func() {
		p.Key("segments")
		p.List(len(s.Segments), func(i int) { p.segment(&s.Segments[i]) })
		p.Key("device_traces")
		p.List(len(s.Traces), func(i int) {
			p.List(len(s.Traces[i]), func(k int) { p.event(&s.Traces[i][k]) })
		})
		p.Key("allocator_settings")
		p.settings(s.settings())
		p.Key("external_annotations")
		p.List(len(s.Notes), func(i int) {
			note := &s.Notes[i]
			p.Dict(func() {
				p.int("device", int64(note.Device))
				p.int("time_us", note.TimeUS)
				p.str("name", note.Name)
				p.str("stage", note.Stage)
			})
		})
	})
	if err := p.Close(); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	return nil
}

type pickler struct {
	*pickle.Writer
	stacks map[stackKey]uint32
}

func (p *pickler) int(key string, v int64) {
	p.Key(key)
	p.Int(v)
}

func (p *pickler) str(key, v string) {
	p.Key(key)
	p.String(v)
}

func (p *pickler) bool(key string, v bool) {
	p.Key(key)
	p.Bool(v)
}

func (p *pickler) frames(frames []Frame) {
	p.Key("frames")
	if len(frames) == 0 {
		p.List(0, nil)
		return
	}
	key := stackKey{&frames[0], len(frames)}
	if slot, ok := p.stacks[key]; ok {
		p.SameList(slot)
		return
	}
	p.stacks[key] = p.SharedList(len(frames), func(i int) {
		p.Dict(func() {
			p.str("filename", frames[i].Filename)
			p.int("line", int64(frames[i].Line))
			p.str("name", frames[i].Name)
		})
	})
}

func (p *pickler) segment(g *Segment) {
	p.Dict(func() {
		p.int("device", int64(g.Device))
		p.int("address", int64(g.Address))
		p.int("total_size", g.TotalSize)
		p.int("allocated_size", g.Allocated)
		p.int("active_size", g.Active)
		p.int("requested_size", g.Requested)
		p.int("stream", int64(g.Stream))
		p.str("segment_type", g.SegmentType)
		p.Key("segment_pool_id")
		p.Pair(int64(g.PoolID[0]), int64(g.PoolID[1]))
		p.bool("is_expandable", g.Expandable)
		p.frames(g.Frames)
		p.Key("blocks")
		p.List(len(g.Blocks), func(i int) {
			b := &g.Blocks[i]
			p.Dict(func() {
				p.int("address", int64(b.Address))
				p.int("size", b.Size)
				p.int("requested_size", b.Requested)
				p.str("state", b.State)
				if b.Tag != "" {
					p.str("user_metadata", b.Tag)
				}
				p.frames(b.Frames)
			})
		})
	})
}

func (p *pickler) event(e *Event) {
	p.Dict(func() {
		p.str("action", e.Action)
		if e.Action == ActionOOM {
			p.int("device_free", e.DeviceFree)
		} else {
			p.int("addr", int64(e.Addr))
		}
		p.int("size", e.Size)
		p.int("stream", int64(e.Stream))
		p.int("time_us", e.TimeUS)
		if e.Compile != "" {
			p.str("compile_context", e.Compile)
		}
		if e.Tag != "" {
			p.str("user_metadata", e.Tag)
		}
		p.Key("pool_id")
		p.Pair(int64(e.PoolID[0]), int64(e.PoolID[1]))
		p.frames(e.Frames)
	})
}

func (p *pickler) settings(s Settings) {
	p.Dict(func() {
		p.str("PYTORCH_CUDA_ALLOC_CONF", s.Conf)
		p.int("max_split_size", s.MaxSplitSize)
		p.Key("garbage_collection_threshold")
		p.Float(s.GCThreshold)
		p.bool("expandable_segments", s.Expandable)
		p.int("pinned_num_register_threads", s.RegisterThreads)
		p.bool("release_lock_on_cudamalloc", s.ReleaseLock)
		p.bool("pinned_use_cuda_host_register", s.HostRegister)
		p.Key("roundup_power2_divisions")
		p.Dict(func() {
			keys := make([]string, 0, len(s.RoundupPower2))
			for k := range s.RoundupPower2 {
				keys = append(keys, k)
			}
			slices.SortFunc(keys, func(a, b string) int { // by number: shorter is smaller
				if len(a) != len(b) {
					return len(a) - len(b)
				}
				return slices.Compare([]byte(a), []byte(b))
			})
			for _, k := range keys {
				p.int(k, int64(s.RoundupPower2[k]))
			}
		})
		if s.ThrowOnOOM {
			p.bool("throw_on_cudamalloc_oom", true)
		}
		if s.MemoryFraction != 0 {
			p.Key("per_process_memory_fraction")
			p.Float(s.MemoryFraction)
		}
		if s.Policy != "" {
			p.str("gpumem_policy", s.Policy)
		}
		if s.Dropped != 0 {
			p.int("gpumem_dropped", s.Dropped)
		}
	})
}
