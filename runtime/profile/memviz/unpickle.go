// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package memviz

import (
	"fmt"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/profile/pickle"
)

// maxParts bounds what one file may unfold to: references let a few bytes
// stand for a list of a million events, and again for a list of such lists.
const maxParts = 50_000_000

// ReadPickle decodes and checks a snapshot, also one that PyTorch dumped.
func ReadPickle(data []byte) (*Snapshot, error) {
	v, err := pickle.Read(data)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	u := &unpickler{stacks: map[*pickle.List][]Frame{}, left: maxParts}
	if segments, ok := v.(*pickle.List); ok { // older dumps have the segments alone
		v = pickle.Dict{"segments": segments}
	}
	root := u.dict(v, "the snapshot")
	if u.err == nil && root["segments"] == nil && root["device_traces"] == nil {
		return nil, fmt.Errorf("snapshot: the pickle has neither segments nor device_traces; is it a memory snapshot?")
	}
	s := &Snapshot{Settings: u.settings(root["allocator_settings"])}
	for _, v := range u.list(root["segments"], "segments") {
		s.Segments = append(s.Segments, u.segment(v))
	}
	for _, events := range u.list(root["device_traces"], "device_traces") {
		var trace []Event
		for _, v := range u.list(events, "device_traces") {
			trace = append(trace, u.event(v))
		}
		s.Traces = append(s.Traces, trace)
	}
	for _, v := range u.list(root["external_annotations"], "external_annotations") {
		d := u.dict(v, "external_annotations")
		s.Notes = append(s.Notes, Annotation{Device: int(u.int(d, "device")), TimeUS: u.int(d, "time_us"),
			Name: u.str(d, "name"), Stage: u.str(d, "stage")})
	}
	if u.err != nil {
		return nil, fmt.Errorf("snapshot: %w", u.err)
	}
	s.complete()
	if err := s.Check(); err != nil {
		return nil, err
	}
	return s, nil
}

// unpickler turns plain data into the schema's types. Absent members are zero,
// as in JSON; the first member of a wrong type is remembered.
type unpickler struct {
	stacks map[*pickle.List][]Frame
	left   int
	err    error
}

func (u *unpickler) fail(format string, args ...any) {
	if u.err == nil {
		u.err = fmt.Errorf(format, args...)
	}
}

func (u *unpickler) dict(v any, where string) pickle.Dict {
	d, ok := v.(pickle.Dict)
	if !ok {
		u.fail("%s: a %T where a dictionary belongs", where, v)
	}
	return d
}

func (u *unpickler) list(v any, where string) []any {
	if v == nil || u.err != nil {
		return nil
	}
	l, ok := v.(*pickle.List)
	if !ok {
		u.fail("%s: a %T where a list belongs", where, v)
		return nil
	}
	if u.left -= len(l.Items); u.left < 0 {
		u.fail("%s: the file unfolds to more than %d parts", where, maxParts)
		return nil
	}
	return l.Items
}

func (u *unpickler) int(d pickle.Dict, key string) int64 {
	switch v := d[key].(type) {
	case nil:
		return 0
	case int64:
		return v
	case bool:
		u.fail("%s: a bool where a number belongs", key)
	case float64:
		return int64(v)
	default:
		u.fail("%s: a %T where a number belongs", key, v)
	}
	return 0
}

func (u *unpickler) float(d pickle.Dict, key string) float64 {
	if v, ok := d[key].(float64); ok {
		return v
	}
	return float64(u.int(d, key))
}

func (u *unpickler) addr(d pickle.Dict, key string) uint64 {
	v := u.int(d, key)
	if v < 0 {
		u.fail("%s: %d is negative", key, v)
	}
	return uint64(v)
}

func (u *unpickler) str(d pickle.Dict, key string) string {
	switch v := d[key].(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		u.fail("%s: a %T where a string belongs", key, v)
	}
	return ""
}

// label is str for what people put in themselves: only text is of use here.
func (u *unpickler) label(d pickle.Dict, key string) string {
	s, _ := d[key].(string)
	return s
}

func (u *unpickler) bool(d pickle.Dict, key string) bool {
	switch v := d[key].(type) {
	case nil:
		return false
	case bool:
		return v
	default:
		u.fail("%s: a %T where a bool belongs", key, v)
	}
	return false
}

func (u *unpickler) pair(d pickle.Dict, key string) (id [2]int) {
	items := u.list(d[key], key)
	if items != nil && len(items) != 2 {
		u.fail("%s: %d numbers where two belong", key, len(items))
	}
	for i, v := range items[:min(len(items), 2)] {
		n, ok := v.(int64)
		if !ok {
			u.fail("%s: a %T where a number belongs", key, v)
		}
		id[i] = int(n)
	}
	return id
}

func (u *unpickler) frames(d pickle.Dict) []Frame {
	l, ok := d["frames"].(*pickle.List)
	if !ok {
		if d["frames"] != nil {
			u.fail("frames: a %T where a list belongs", d["frames"])
		}
		return nil
	}
	if frames, ok := u.stacks[l]; ok {
		return frames
	}
	frames := []Frame{}
	for _, v := range u.list(l, "frames") {
		f := u.dict(v, "frames")
		frames = append(frames, Frame{Filename: u.str(f, "filename"), Line: int(u.int(f, "line")), Name: u.str(f, "name")})
	}
	frames = slices.Clip(frames)
	u.stacks[l] = frames
	return frames
}

func (u *unpickler) segment(v any) Segment {
	d := u.dict(v, "segments")
	g := Segment{Device: int(u.int(d, "device")), Address: u.addr(d, "address"), TotalSize: u.int(d, "total_size"),
		Allocated: u.int(d, "allocated_size"), Active: u.int(d, "active_size"), Requested: u.int(d, "requested_size"),
		Stream: u.addr(d, "stream"), SegmentType: u.str(d, "segment_type"), PoolID: u.pair(d, "segment_pool_id"),
		Expandable: u.bool(d, "is_expandable"), Frames: u.frames(d)}
	for _, v := range u.list(d["blocks"], "blocks") {
		b := u.dict(v, "blocks")
		g.Blocks = append(g.Blocks, Block{Address: u.addr(b, "address"), Size: u.int(b, "size"),
			Requested: u.int(b, "requested_size"), State: u.str(b, "state"), Frames: u.frames(b), Tag: u.label(b, "user_metadata")})
	}
	return g
}

func (u *unpickler) event(v any) Event {
	d := u.dict(v, "device_traces")
	return Event{Action: u.str(d, "action"), Addr: u.addr(d, "addr"), DeviceFree: u.int(d, "device_free"), Size: u.int(d, "size"),
		Stream: u.addr(d, "stream"), TimeUS: u.int(d, "time_us"), Compile: u.label(d, "compile_context"),
		Tag: u.label(d, "user_metadata"), PoolID: u.pair(d, "pool_id"), Frames: u.frames(d)}
}

func (u *unpickler) settings(v any) Settings {
	if v == nil {
		return NewSettings()
	}
	d := u.dict(v, "allocator_settings")
	s := Settings{Conf: u.str(d, "PYTORCH_CUDA_ALLOC_CONF"), MaxSplitSize: u.int(d, "max_split_size"),
		GCThreshold: u.float(d, "garbage_collection_threshold"), Expandable: u.bool(d, "expandable_segments"),
		RegisterThreads: u.int(d, "pinned_num_register_threads"), ReleaseLock: u.bool(d, "release_lock_on_cudamalloc"),
		HostRegister: u.bool(d, "pinned_use_cuda_host_register"), ThrowOnOOM: u.bool(d, "throw_on_cudamalloc_oom"),
		MemoryFraction: u.float(d, "per_process_memory_fraction"), Policy: u.str(d, "gpumem_policy"),
		Dropped:       u.int(d, "gpumem_dropped"),
		RoundupPower2: map[string]int{}}
	if v, ok := d["roundup_power2_divisions"]; ok {
		steps := u.dict(v, "roundup_power2_divisions")
		for key := range steps {
			s.RoundupPower2[key] = int(u.int(steps, key))
		}
	}
	return s
}
