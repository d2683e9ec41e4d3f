// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package memviz

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// WriteJSON writes s as one JSON object, after checking it. The writer is our
// own since a trace repeats a few call stacks a hundred thousand times: each
// stack is encoded once and copied from then on.
func (s *Snapshot) WriteJSON(w io.Writer) error {
	if err := s.Check(); err != nil {
		return err
	}
	j := &jsonWriter{w: bufio.NewWriterSize(w, 256<<10), text: map[string][]byte{}, stacks: map[stackKey][]byte{}}
	j.raw(`{"segments":[`)
	for i := range s.Segments {
		j.comma(i)
		j.segment(&s.Segments[i])
	}
	j.raw("],\n\"device_traces\":[")
	for i, events := range s.Traces {
		j.comma(i)
		j.raw("[")
		for k := range events {
			j.comma(k)
			j.event(&events[k])
		}
		j.raw("]")
	}
	j.raw("]")
	j.rest("allocator_settings", s.settings())
	notes := s.Notes
	if notes == nil {
		notes = []Annotation{}
	}
	j.rest("external_annotations", notes)
	j.raw("}\n")
	if j.err != nil {
		return fmt.Errorf("snapshot: %w", j.err)
	}
	return j.w.Flush()
}

// settings returns s's settings with the map that the format wants always there.
func (s *Snapshot) settings() Settings {
	out := s.Settings
	if out.RoundupPower2 == nil {
		out.RoundupPower2 = NewSettings().RoundupPower2
	}
	return out
}

// stackKey identifies a call stack by the memory it lies in: stacks that came
// from one interned stack share it.
type stackKey struct {
	first *Frame
	n     int
}

type jsonWriter struct {
	w      *bufio.Writer
	buf    []byte
	text   map[string][]byte
	stacks map[stackKey][]byte
	err    error
}

func (j *jsonWriter) raw(s string) { j.w.WriteString(s) }

func (j *jsonWriter) comma(i int) {
	if i > 0 {
		j.w.WriteString(",\n")
	}
}

// rest writes one more member through encoding/json.
func (j *jsonWriter) rest(key string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		j.err = err
		return
	}
	j.raw(",\n\"" + key + "\":")
	j.w.Write(b)
}

func (j *jsonWriter) quote(s string) []byte {
	b, ok := j.text[s]
	if !ok {
		b, _ = json.Marshal(s) // a string always encodes
		if len(j.text) < 1<<16 {
			j.text[s] = b
		}
	}
	return b
}

func (j *jsonWriter) frames(frames []Frame) []byte {
	if len(frames) == 0 {
		return []byte("[]")
	}
	key := stackKey{&frames[0], len(frames)}
	if b, ok := j.stacks[key]; ok {
		return b
	}
	b, _ := json.Marshal(frames) // strings and integers always encode
	j.stacks[key] = b
	return b
}

func appendInt(b []byte, key string, v int64) []byte {
	return strconv.AppendInt(append(b, key...), v, 10)
}

func appendUint(b []byte, key string, v uint64) []byte {
	return strconv.AppendUint(append(b, key...), v, 10)
}

func appendPool(b []byte, key string, id [2]int) []byte {
	b = appendInt(b, key, int64(id[0]))
	b = appendInt(b, ",", int64(id[1]))
	return append(b, ']')
}

func (j *jsonWriter) segment(g *Segment) {
	b := appendInt(j.buf[:0], `{"device":`, int64(g.Device))
	b = appendUint(b, `,"address":`, g.Address)
	b = appendInt(b, `,"total_size":`, g.TotalSize)
	b = appendInt(b, `,"allocated_size":`, g.Allocated)
	b = appendInt(b, `,"active_size":`, g.Active)
	b = appendInt(b, `,"requested_size":`, g.Requested)
	b = appendUint(b, `,"stream":`, g.Stream)
	b = append(append(b, `,"segment_type":`...), j.quote(g.SegmentType)...)
	b = appendPool(b, `,"segment_pool_id":[`, g.PoolID)
	b = strconv.AppendBool(append(b, `,"is_expandable":`...), g.Expandable)
	b = append(append(b, `,"frames":`...), j.frames(g.Frames)...)
	b = append(b, `,"blocks":[`...)
	j.w.Write(b)
	for i := range g.Blocks {
		j.comma(i)
		k := &g.Blocks[i]
		b = appendUint(b[:0], `{"address":`, k.Address)
		b = appendInt(b, `,"size":`, k.Size)
		b = appendInt(b, `,"requested_size":`, k.Requested)
		b = append(append(b, `,"state":`...), j.quote(k.State)...)
		if k.Tag != "" {
			b = append(append(b, `,"user_metadata":`...), j.quote(k.Tag)...)
		}
		b = append(append(b, `,"frames":`...), j.frames(k.Frames)...)
		j.w.Write(append(b, '}'))
	}
	j.raw("]}")
	j.buf = b
}

func (j *jsonWriter) event(e *Event) {
	b := append(append(j.buf[:0], `{"action":`...), j.quote(e.Action)...)
	if e.Action == ActionOOM {
		b = appendInt(b, `,"device_free":`, e.DeviceFree)
	} else {
		b = appendUint(b, `,"addr":`, e.Addr)
	}
	b = appendInt(b, `,"size":`, e.Size)
	b = appendUint(b, `,"stream":`, e.Stream)
	b = appendInt(b, `,"time_us":`, e.TimeUS)
	if e.Compile != "" {
		b = append(append(b, `,"compile_context":`...), j.quote(e.Compile)...)
	}
	if e.Tag != "" {
		b = append(append(b, `,"user_metadata":`...), j.quote(e.Tag)...)
	}
	b = appendPool(b, `,"pool_id":[`, e.PoolID)
	b = append(append(b, `,"frames":`...), j.frames(e.Frames)...)
	j.buf = append(b, '}')
	j.w.Write(j.buf)
}

// ReadJSON decodes and checks a snapshot, or a list of segments alone. Members
// that it does not know are skipped, since PyTorch adds some with every release.
func ReadJSON(data []byte) (*Snapshot, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	s := &Snapshot{Settings: Settings{MaxSplitSize: -1}}
	var into any = &s
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("[")) {
		into = &s.Segments
	}
	if err := dec.Decode(into); err != nil {
		return nil, fmt.Errorf("snapshot: not valid JSON near byte %d: %w", dec.InputOffset(), err)
	}
	if dec.More() {
		return nil, fmt.Errorf("snapshot: more data after the JSON, at byte %d", dec.InputOffset())
	}
	if s == nil || s.Segments == nil && s.Traces == nil {
		return nil, fmt.Errorf("snapshot: the JSON has neither segments nor device_traces; is it a memory snapshot?")
	}
	s.complete()
	if err := s.Check(); err != nil {
		return nil, err
	}
	return s, nil
}
