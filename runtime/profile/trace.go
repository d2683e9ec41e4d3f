// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

// tracePID stands for the process: a snapshot doesn't know its number.
const tracePID = 1

// traceEvent is an event of the Chrome trace format. Times are microseconds.
type traceEvent struct {
	Phase string         `json:"ph"`
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	TS    float64        `json:"ts"`
	Dur   *float64       `json:"dur,omitempty"`
	Scope string         `json:"s,omitempty"`
	Stack string         `json:"sf,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

type traceFrame struct {
	Name   string `json:"name"`
	Parent string `json:"parent,omitempty"`
}

// WriteTrace writes the snapshot's events as Chrome trace JSON, which Perfetto
// and chrome://tracing open: a counter of allocated and cached bytes a device,
// an instant "[memory]" for every change in the form that PyTorch's profiler
// writes, with the Go stack, and the annotations as slices.
func WriteTrace(w io.Writer, s *memviz.Snapshot) error {
	t := &tracer{w: bufio.NewWriterSize(w, 64<<10), stacks: map[*memviz.Frame]string{}, ids: map[traceFrame]string{}, frames: map[string]traceFrame{}}
	t.w.WriteString("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n")
	t.event(traceEvent{Phase: "M", Name: "process_name", PID: tracePID, Args: map[string]any{"name": "gpumem"}})
	for device, events := range s.Traces {
		if len(events) == 0 {
			continue
		}
		t.event(traceEvent{Phase: "M", Name: "thread_name", PID: tracePID, TID: device, Args: map[string]any{"name": fmt.Sprintf("GPU %d", device)}})
		t.device(device, events, newTotals(s, device))
	}
	t.notes(s.Notes)
	t.w.WriteString("\n],\"stackFrames\":")
	frames, err := json.Marshal(t.frames)
	if err == nil {
		t.w.Write(frames)
		t.w.WriteString("}\n")
		err = t.w.Flush()
	}
	if err = firstError(t.err, err); err != nil {
		return fmt.Errorf("GPU trace: %w", err)
	}
	return nil
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

type tracer struct {
	w      *bufio.Writer
	n      int
	err    error
	stacks map[*memviz.Frame]string // innermost frame of a shared stack -> id
	ids    map[traceFrame]string
	frames map[string]traceFrame
}

func (t *tracer) event(e traceEvent) {
	b, err := json.Marshal(e)
	if err != nil {
		t.err = firstError(t.err, err)
		return
	}
	if t.n > 0 {
		t.w.WriteString(",\n")
	}
	t.n++
	t.w.Write(b)
}

// stack gives the id of a stack's innermost frame; frames form a tree from the
// outermost one down.
func (t *tracer) stack(frames []memviz.Frame) string {
	if len(frames) == 0 {
		return ""
	}
	if id, ok := t.stacks[&frames[0]]; ok {
		return id
	}
	parent := ""
	for i := len(frames) - 1; i >= 0; i-- {
		f := traceFrame{Name: fmt.Sprintf("%s (%s:%d)", frames[i].Name, frames[i].Filename, frames[i].Line), Parent: parent}
		id, ok := t.ids[f]
		if !ok {
			id = itoa(int64(len(t.ids) + 1))
			t.ids[f], t.frames[id] = id, f
		}
		parent = id
	}
	t.stacks[&frames[0]] = parent
	return parent
}

func (t *tracer) device(device int, events []memviz.Event, now running) {
	name := fmt.Sprintf("gpumem GPU%d", device)
	for i := range events {
		e := &events[i]
		bytes := now.apply(e)
		ts := float64(e.TimeUS)
		if e.Action == memviz.ActionOOM {
			t.event(traceEvent{Phase: "i", Name: "out of memory", Cat: "gpumem", Scope: "p", PID: tracePID, TID: device, TS: ts,
				Stack: t.stack(e.Frames), Args: map[string]any{"Bytes": e.Size, "Device Free": e.DeviceFree}})
			continue
		}
		if e.Action == memviz.ActionAlloc || e.Action == memviz.ActionFreeCompleted {
			t.event(traceEvent{Phase: "i", Name: "[memory]", Cat: "cpu_instant_event", Scope: "t", PID: tracePID, TID: device, TS: ts,
				Stack: t.stack(e.Frames), Args: map[string]any{"Device Type": 1, "Device Id": device, "Addr": e.Addr, "Bytes": bytes,
					"Total Allocated": now.active, "Total Reserved": now.reserved, "Ev Idx": i}})
		}
		t.event(traceEvent{Phase: "C", Name: name, PID: tracePID, TS: ts,
			Args: map[string]any{"allocated": now.active, "cached": now.reserved - now.active}})
	}
}

// notes draws pairs of START and END as slices, and what has no pair as instants.
func (t *tracer) notes(notes []memviz.Annotation) {
	type key struct {
		device int
		name   string
	}
	open := map[key][]memviz.Annotation{}
	var order []key
	for _, n := range notes {
		k := key{n.Device, n.Name}
		if n.Stage == "START" {
			open[k] = append(open[k], n)
			order = append(order, k)
			continue
		}
		if stack := open[k]; n.Stage == "END" && len(stack) > 0 {
			begin := stack[len(stack)-1]
			open[k] = stack[:len(stack)-1]
			dur := float64(n.TimeUS - begin.TimeUS)
			t.event(traceEvent{Phase: "X", Name: n.Name, Cat: "gpumem", PID: tracePID, TID: n.Device, TS: float64(begin.TimeUS), Dur: &dur})
			continue
		}
		t.instant(n)
	}
	for _, k := range order {
		for _, n := range open[k] {
			t.instant(n)
		}
		delete(open, k)
	}
}

func (t *tracer) instant(n memviz.Annotation) {
	t.event(traceEvent{Phase: "i", Name: n.Name, Cat: "gpumem", Scope: "t", PID: tracePID, TID: n.Device, TS: float64(n.TimeUS)})
}

// running keeps a device's totals while its events are walked.
type running struct{ active, reserved int64 }

// newTotals gives the totals before the first event: those of the segments,
// which are from after the last event, with every event taken back.
func newTotals(s *memviz.Snapshot, device int) running {
	var change running
	for i := range s.Traces[device] {
		change.apply(&s.Traces[device][i])
	}
	now := running{}
	for i := range s.Segments {
		g := &s.Segments[i]
		if g.Device != device {
			continue
		}
		now.reserved += g.TotalSize
		for k := range g.Blocks {
			if g.Blocks[k].State != memviz.StateInactive {
				now.active += g.Blocks[k].Requested
			}
		}
	}
	// A snapshot that was cut or merged may not add up; a total below zero
	// would only confuse.
	return running{max(now.active-change.active, 0), max(now.reserved-change.reserved, 0)}
}

// apply adds an event and returns by how much it changes the active bytes.
func (r *running) apply(e *memviz.Event) (active int64) {
	switch e.Action {
	case memviz.ActionAlloc:
		active = e.Size
	case memviz.ActionFreeCompleted:
		active = -e.Size
	case memviz.ActionSegmentAlloc, memviz.ActionSegmentMap:
		r.reserved += e.Size
	case memviz.ActionSegmentFree, memviz.ActionSegmentUnmap:
		r.reserved -= e.Size
	}
	r.active += active
	return active
}
