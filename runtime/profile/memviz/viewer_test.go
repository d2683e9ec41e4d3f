// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package memviz_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file is a reader of snapshots that shares nothing with the package: it
// is written from the rules that PyTorch's memory viewer imposes, numbered as
// in the table of TestViewerRules, and is as strict as the strictest copy of
// the viewer. A number is a float64 here, as it is in the viewer.

// viewerOpen is what the viewer does with a file (rule 1): JSON if it parses,
// pickle if not. picklesOnly are the older copies that never try JSON.
func viewerOpen(data []byte, picklesOnly bool) (map[string]any, error) {
	if !picklesOnly {
		var root map[string]any
		if err := json.Unmarshal(data, &root); err == nil {
			return root, nil
		}
	}
	v, err := viewerUnpickle(data)
	if err != nil {
		return nil, err
	}
	root, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the pickle holds a %T", v)
	}
	return root, nil
}

type viewerMark struct{}

// viewerUnpickle knows the opcodes of rule 2 and no other.
func viewerUnpickle(data []byte) (any, error) {
	var stack []any
	memo := map[int]any{}
	marks := []int{}
	pos := 0
	need := func(n int) []byte {
		if pos+n > len(data) {
			return nil
		}
		pos += n
		return data[pos-n : pos]
	}
	collect := func() []any {
		at := marks[len(marks)-1]
		marks = marks[:len(marks)-1]
		items := append([]any{}, stack[at:]...)
		stack = stack[:at]
		return items
	}
	for pos < len(data) {
		op := data[pos]
		pos++
		switch op {
		case 0x80: // PROTO
			if v := need(1)[0]; v < 2 || v > 4 {
				return nil, fmt.Errorf("Unhandled version: %d", v)
			}
		case 0x95: // FRAME
			need(8)
		case '(':
			marks = append(marks, len(stack))
		case '}':
			stack = append(stack, map[string]any{})
		case ']', ')':
			stack = append(stack, &[]any{})
		case 'u': // SETITEMS
			items := collect()
			dict := stack[len(stack)-1].(map[string]any)
			for i := 0; i < len(items); i += 2 {
				dict[items[i].(string)] = items[i+1]
			}
		case 's': // SETITEM
			n := len(stack)
			stack[n-3].(map[string]any)[stack[n-2].(string)] = stack[n-1]
			stack = stack[:n-2]
		case 'a': // APPEND
			list := stack[len(stack)-2].(*[]any)
			*list = append(*list, stack[len(stack)-1])
			stack = stack[:len(stack)-1]
		case 'e': // APPENDS spreads its items as call arguments
			items := collect()
			if len(items) > 1000 {
				return nil, fmt.Errorf("one APPENDS carries %d items", len(items))
			}
			list := stack[len(stack)-1].(*[]any)
			*list = append(*list, items...)
		case 'J':
			stack = append(stack, float64(int32(binary.LittleEndian.Uint32(need(4)))))
		case 'K':
			stack = append(stack, float64(need(1)[0]))
		case 'M':
			stack = append(stack, float64(binary.LittleEndian.Uint16(need(2))))
		case 0x8a: // LONG1, read into a number
			n := int(need(1)[0])
			if n > 8 {
				return nil, fmt.Errorf("a number of %d bytes", n)
			}
			var v uint64
			for i, b := range need(n) {
				v |= uint64(b) << (8 * i)
			}
			if v >= 1<<53 {
				return nil, fmt.Errorf("the number %d would be rounded", v)
			}
			stack = append(stack, float64(v))
		case 'X', 0x8c: // BINUNICODE, SHORT_BINUNICODE
			n := 0
			if op == 'X' {
				n = int(binary.LittleEndian.Uint32(need(4)))
			} else {
				n = int(need(1)[0])
			}
			s := need(n)
			if !utf8.Valid(s) {
				return nil, fmt.Errorf("a string that is not UTF-8")
			}
			stack = append(stack, string(s))
		case 'N':
			stack = append(stack, nil)
		case 0x88, 0x89:
			stack = append(stack, op == 0x88)
		case 'G':
			stack = append(stack, math.Float64frombits(binary.BigEndian.Uint64(need(8))))
		case 't', 'l': // TUPLE, LIST
			items := collect()
			stack = append(stack, &items)
		case 0x85, 0x86, 0x87: // TUPLE1, 2, 3
			n := int(op) - 0x84
			items := append([]any{}, stack[len(stack)-n:]...)
			stack = append(stack[:len(stack)-n], &items)
		case 'd': // DICT
			dict := map[string]any{}
			items := collect()
			for i := 0; i < len(items); i += 2 {
				dict[items[i].(string)] = items[i+1]
			}
			stack = append(stack, dict)
		case 0x94: // MEMOIZE
			memo[len(memo)] = stack[len(stack)-1]
		case 'q':
			memo[int(need(1)[0])] = stack[len(stack)-1]
		case 'r':
			memo[int(binary.LittleEndian.Uint32(need(4)))] = stack[len(stack)-1]
		case 'h':
			stack = append(stack, memo[int(need(1)[0])])
		case 'j':
			stack = append(stack, memo[int(binary.LittleEndian.Uint32(need(4)))])
		case '.':
			if len(stack) != 1 || len(marks) != 0 || pos != len(data) {
				return nil, fmt.Errorf("%d values, %d marks and %d bytes are left over", len(stack)-1, len(marks), len(data)-pos)
			}
			return stack[0], nil
		default:
			return nil, fmt.Errorf("unhandled opcode %#x", op)
		}
	}
	return nil, fmt.Errorf("the file ends early")
}

// list accepts both a JSON array and a list of the pickle machine.
func list(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case *[]any:
		return *v
	}
	return nil
}

func num(v any) float64 { f, _ := v.(float64); return f }

func text(v any) string { s, _ := v.(string); return s }

// hiddenNames and hiddenFiles are what the viewer leaves out of stacks (rule 5).
var (
	hiddenNames = []string{"unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp", "_start", "__libc_start_main",
		"PyEval_", "PyObject_", "PyFunction_"}
	hiddenFiles = []string{"core/boxing", "/Register", "/Redispatch", "pythonrun.c", "Modules/main.c", "Objects/call.c",
		"Objects/methodobject.c", "pycore_ceval.h", "ceval.c", "cpython/abstract.h"}
)

// viewerFrames formats a stack as the viewer shows it; ok is false for a stack
// that would make it throw.
func viewerFrames(v any) (shown []string, ok bool) {
	if list(v) == nil {
		return nil, false
	}
frames:
	for _, f := range list(v) {
		d, isDict := f.(map[string]any)
		name, isName := d["name"].(string)
		file, isFile := d["filename"].(string)
		if !isDict || !isName || !isFile {
			return nil, false
		}
		for _, h := range hiddenNames {
			if strings.Contains(name, h) {
				continue frames
			}
		}
		for _, h := range hiddenFiles {
			if strings.Contains(file, h) {
				continue frames
			}
		}
		shown = append(shown, fmt.Sprintf("%s:%v:%s", file, num(d["line"]), name))
	}
	return shown, true
}

// viewerModel is what the viewer draws.
type viewerModel struct {
	Streams     map[float64]int    // renumbered in order of appearance, 0 stays 0 (rule 10)
	Live        map[float64]string // address -> innermost visible frame of the blocks in use
	Free        float64            // bytes in inactive blocks
	Events      []string           // "action addr size", after merging (rule 6)
	Cached      []float64          // the cached segment timeline (rule 8)
	InitialLive int                // blocks in use before the first event
}

// viewerDraw walks a snapshot as the viewer does and fails where it would.
func viewerDraw(root map[string]any) (*viewerModel, error) {
	m := &viewerModel{Streams: map[float64]int{0: 0}, Live: map[float64]string{}}
	if root["segments"] == nil || root["device_traces"] == nil {
		return nil, fmt.Errorf("segments or device_traces are missing")
	}
	stream := func(v any) {
		if _, ok := m.Streams[num(v)]; !ok {
			m.Streams[num(v)] = len(m.Streams)
		}
	}
	for _, v := range list(root["segments"]) {
		g := v.(map[string]any)
		stream(g["stream"])
		if _, ok := viewerFrames(g["frames"]); !ok {
			return nil, fmt.Errorf("a segment has no list of frames")
		}
		// Rule 4: addresses are recomputed from sizes, and the sums must agree.
		addr, allocated, external, internal := num(g["address"]), 0.0, 0.0, 0.0
		for _, v := range list(g["blocks"]) {
			b := v.(map[string]any)
			if num(b["address"]) != addr || addr >= 1<<53 {
				return nil, fmt.Errorf("a block at %v is drawn at %v", b["address"], addr)
			}
			size := num(b["size"])
			switch text(b["state"]) { // rule 3
			case "active_allocated", "active_pending_free":
				allocated += num(b["requested_size"])
				internal += size - num(b["requested_size"])
				frames, ok := viewerFrames(b["frames"])
				if !ok {
					return nil, fmt.Errorf("a block has no list of frames")
				}
				m.Live[addr] = strings.Join(frames, "\n")
			case "inactive":
				external += size
			default:
				return nil, fmt.Errorf("a block has the state %v", b["state"])
			}
			addr += size
		}
		if external+internal+allocated != num(g["total_size"]) {
			return nil, fmt.Errorf("segsum: %v + %v + %v is not %v", external, internal, allocated, g["total_size"])
		}
		m.Free += external
	}
	for _, trace := range list(root["device_traces"]) {
		if err := m.trace(list(trace), stream); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *viewerModel) trace(events []any, stream func(any)) error {
	live := map[float64]bool{}
	for i := 0; i < len(events); i++ {
		e := events[i].(map[string]any)
		if c, ok := e["category"]; ok && c != "unknown" { // rule 7
			return fmt.Errorf("an event has the category %v: the viewer's fallback throws", c)
		}
		if _, ok := viewerFrames(e["frames"]); !ok {
			return fmt.Errorf("event %d has no list of frames", i)
		}
		action, addr, size := text(e["action"]), num(e["addr"]), num(e["size"])
		stream(e["stream"])
		if action == "oom" {
			if _, ok := e["device_free"]; !ok {
				return fmt.Errorf("event %d is an oom without device_free", i)
			}
			m.Events = append(m.Events, fmt.Sprintf("oom %v", size))
			continue
		}
		if _, ok := e["addr"].(float64); !ok || addr >= 1<<53 { // rule 9
			return fmt.Errorf("event %d has the address %v", i, e["addr"])
		}
		if action == "free_requested" && i+1 < len(events) { // rule 6
			next := events[i+1].(map[string]any)
			if text(next["action"]) == "free_completed" && num(next["addr"]) == addr {
				action = "free"
				i++
			}
		}
		switch action {
		case "alloc":
			if live[addr] {
				return fmt.Errorf("event %d allocates %v twice", i, addr)
			}
			live[addr] = true
		case "free", "free_completed":
			if !live[addr] {
				m.InitialLive++ // what the viewer takes for allocated before the trace began
			}
			delete(live, addr)
		case "segment_alloc":
			m.Cached = append(m.Cached, size)
		case "segment_free":
			m.Cached = append(m.Cached, -size)
		case "free_requested", "segment_map", "segment_unmap", "snapshot": // rule 8: not in the cached timeline
		default:
			return fmt.Errorf("event %d has the action %q", i, action)
		}
		m.Events = append(m.Events, fmt.Sprintf("%s %v %v", action, addr, size))
	}
	for addr := range live {
		if _, ok := m.Live[addr]; !ok {
			return fmt.Errorf("the block at %v is alive after the last event and free in the segments", addr)
		}
	}
	return nil
}

// span is a segment as the viewer's state history moves it about.
type span struct{ addr, size, stream float64 }

// viewerHistory replays one device's events backwards from the snapshot, as the
// viewer does to draw any earlier moment, and fails where the viewer would throw:
// a block outside of every segment, a segment or block that isn't there.
func viewerHistory(root map[string]any, device int) (moments int, err error) {
	var segments []span
	blocks := map[float64]float64{} // address -> size
	for _, v := range list(root["segments"]) {
		g := v.(map[string]any)
		if num(g["device"]) != float64(device) {
			continue
		}
		segments = append(segments, span{num(g["address"]), num(g["total_size"]), num(g["stream"])})
		for _, v := range list(g["blocks"]) {
			if b := v.(map[string]any); text(b["state"]) != "inactive" {
				blocks[num(b["address"])] = num(b["size"])
			}
		}
	}
	find := func(addr, size float64) int {
		return slices.IndexFunc(segments, func(s span) bool { return s.addr <= addr && addr+size <= s.addr+s.size })
	}
	check := func(i int) error {
		for addr := range blocks {
			if find(addr, 0) < 0 || find(addr, 1) < 0 {
				return fmt.Errorf("before event %d the block at %v lies in no segment", i+1, addr)
			}
		}
		return nil
	}
	events := list(list(root["device_traces"])[device])
	for i := len(events) - 1; i >= 0; i-- {
		if err := check(i); err != nil {
			return moments, err
		}
		moments++
		e := events[i].(map[string]any)
		addr, size := num(e["addr"]), num(e["size"])
		switch text(e["action"]) {
		case "free_completed":
			blocks[addr] = size
		case "free_requested":
			if _, ok := blocks[addr]; !ok {
				return moments, fmt.Errorf("event %d asks to free the block at %v, which is not there", i, addr)
			}
		case "alloc":
			delete(blocks, addr)
		case "segment_free":
			segments = append(segments, span{addr, size, num(e["stream"])})
		case "segment_alloc":
			at := slices.IndexFunc(segments, func(s span) bool { return s.addr == addr })
			if at < 0 {
				return moments, fmt.Errorf("event %d makes the segment at %v, which is not there", i, addr)
			}
			segments = slices.Delete(segments, at, at+1)
		case "segment_unmap": // backwards: it is mapped again, and joins its neighbours
			s := span{addr, size, num(e["stream"])}
			for at := 0; at < len(segments); at++ {
				o := segments[at]
				if o.stream == s.stream && (o.addr+o.size == s.addr || s.addr+s.size == o.addr) {
					s = span{min(o.addr, s.addr), o.size + s.size, s.stream}
					segments = slices.Delete(segments, at, at+1)
					at = -1
				}
			}
			segments = append(segments, s)
		case "segment_map":
			at := find(addr, size)
			if at < 0 {
				return moments, fmt.Errorf("event %d maps %v bytes at %v, which no segment has", i, size, addr)
			}
			s := segments[at]
			segments = slices.Delete(segments, at, at+1)
			if addr > s.addr {
				segments = append(segments, span{s.addr, addr - s.addr, s.stream})
			}
			if end := s.addr + s.size; addr+size < end {
				segments = append(segments, span{addr + size, end - addr - size, s.stream})
			}
		}
	}
	return moments, check(-1)
}
