// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package memviz_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
	"github.com/gpumemlint/gpumemlint/runtime/profile/pickle"
)

const base = 0x7f00_0000_0000

// sample is a snapshot with every kind of thing that the format has.
func sample() *memviz.Snapshot {
	load := []memviz.Frame{{Filename: "main.go", Line: 41, Name: "main.loadBatch"}, {Filename: "main.go", Line: 12, Name: "main.main"}}
	step := []memviz.Frame{{Filename: "train.go", Line: 7, Name: `main.(*Model).Step "é"`}, load[1]}
	pool := [2]int{0, 1}
	s := &memviz.Snapshot{Settings: memviz.NewSettings()}
	s.Settings.Conf = "garbage_collection_threshold:0.8"
	s.Settings.GCThreshold = 0.8
	s.Segments = []memviz.Segment{
		{Device: 0, Address: base, TotalSize: 2 << 20, Allocated: 1024, Active: 1536, Requested: 1400, SegmentType: "small",
			PoolID: pool, Frames: load, Blocks: []memviz.Block{
				{Address: base, Size: 1024, Requested: 1000, State: memviz.StateAllocated, Frames: load, Tag: "input"},
				{Address: base + 1024, Size: 512, Requested: 400, State: memviz.StatePendingFree, Frames: step},
				{Address: base + 1536, Size: 2<<20 - 1536, State: memviz.StateInactive},
			}},
		{Device: 1, Address: base + 64<<20, TotalSize: 20 << 20, Allocated: 20 << 20, Active: 20 << 20, Requested: 20 << 20, Stream: 77,
			SegmentType: "large", Expandable: true, Blocks: []memviz.Block{
				{Address: base + 64<<20, Size: 20 << 20, Requested: 20 << 20, State: memviz.StateAllocated, Frames: step}}},
	}
	at := int64(1_790_000_000_000_000)
	s.Traces = [][]memviz.Event{
		{
			{Action: memviz.ActionSegmentAlloc, Addr: base, Size: 2 << 20, TimeUS: at, Frames: load, PoolID: pool},
			{Action: memviz.ActionAlloc, Addr: base, Size: 1000, TimeUS: at + 1, Frames: load, Tag: "input"},
			{Action: memviz.ActionAlloc, Addr: base + 1024, Size: 400, TimeUS: at + 2, Frames: step},
			{Action: memviz.ActionAlloc, Addr: base + 1536, Size: 512, TimeUS: at + 3, Frames: step, Compile: "0/0"},
			{Action: memviz.ActionFreeRequested, Addr: base + 1536, Size: 512, TimeUS: at + 4, Frames: step},
			{Action: memviz.ActionFreeCompleted, Addr: base + 1536, Size: 512, TimeUS: at + 4, Frames: step},
			{Action: memviz.ActionFreeRequested, Addr: base + 1024, Size: 400, TimeUS: at + 5, Frames: step},
			{Action: memviz.ActionSnapshot, TimeUS: at + 6},
		},
		{
			{Action: memviz.ActionFreeRequested, Addr: base + 256<<20, Size: 4096, Stream: 77, TimeUS: at},
			{Action: memviz.ActionFreeCompleted, Addr: base + 256<<20, Size: 4096, Stream: 77, TimeUS: at},
			{Action: memviz.ActionSegmentFree, Addr: base + 256<<20, Size: 4096, Stream: 77, TimeUS: at},
			{Action: memviz.ActionSegmentMap, Addr: base + 64<<20, Size: 20 << 20, Stream: 77, TimeUS: at + 1, Frames: step},
			{Action: memviz.ActionAlloc, Addr: base + 64<<20, Size: 20 << 20, Stream: 77, TimeUS: at + 1, Frames: step},
			{Action: memviz.ActionOOM, DeviceFree: 123, Size: 1 << 40, Stream: 99, TimeUS: at + 2, Frames: step},
		},
	}
	s.Notes = []memviz.Annotation{{Device: 0, TimeUS: at, Name: "step", Stage: "START"}}
	s.Settings.Policy, s.Settings.Dropped = "best", 7
	return s
}

func encode(t *testing.T, write func(*memviz.Snapshot, *bytes.Buffer) error, s *memviz.Snapshot) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := write(s, &buf); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func asJSON(s *memviz.Snapshot, b *bytes.Buffer) error   { return s.WriteJSON(b) }
func asPickle(s *memviz.Snapshot, b *bytes.Buffer) error { return s.WritePickle(b) }

var encodings = map[string]func(*memviz.Snapshot, *bytes.Buffer) error{"json": asJSON, "pickle": asPickle}

// TestViewerRules opens both encodings with a reader written from the viewer's
// ten rules, which are enforced where viewer_test.go quotes their numbers.
func TestViewerRules(t *testing.T) {
	for name, write := range encodings {
		t.Run(name, func(t *testing.T) {
			data := encode(t, write, sample())
			root, err := viewerOpen(data, name == "pickle") // rules 1 and 2
			if err != nil {
				t.Fatal(err)
			}
			m, err := viewerDraw(root) // rules 3, 4, 5, 7 and 9
			if err != nil {
				t.Fatal(err)
			}
			wantEvents := []string{
				fmt.Sprint("segment_alloc ", float64(base), " ", float64(2<<20)),
				fmt.Sprint("alloc ", float64(base), " ", 1000.0),
				fmt.Sprint("alloc ", float64(base+1024), " ", 400.0),
				fmt.Sprint("alloc ", float64(base+1536), " ", 512.0),
				fmt.Sprint("free ", float64(base+1536), " ", 512.0), // rule 6: merged
				fmt.Sprint("free_requested ", float64(base+1024), " ", 400.0),
				"snapshot 0 0",
				fmt.Sprint("free ", float64(base+256<<20), " ", 4096.0),
				fmt.Sprint("segment_free ", float64(base+256<<20), " ", 4096.0),
				fmt.Sprint("segment_map ", float64(base+64<<20), " ", float64(20<<20)),
				fmt.Sprint("alloc ", float64(base+64<<20), " ", float64(20<<20)),
				fmt.Sprint("oom ", float64(1<<40)),
			}
			if !reflect.DeepEqual(m.Events, wantEvents) {
				t.Errorf("events\n%s\nwant\n%s", strings.Join(m.Events, "\n"), strings.Join(wantEvents, "\n"))
			}
			if want := []float64{2 << 20, -4096}; !reflect.DeepEqual(m.Cached, want) { // rule 8: mapping does not move it
				t.Errorf("cached timeline %v, want %v", m.Cached, want)
			}
			if want := map[float64]int{0: 0, 77: 1, 99: 2}; !reflect.DeepEqual(m.Streams, want) { // rule 10
				t.Errorf("streams %v, want %v", m.Streams, want)
			}
			if got := m.Live[base]; got != "main.go:41:main.loadBatch\nmain.go:12:main.main" {
				t.Errorf("the first block's stack is %q", got)
			}
			if m.InitialLive != 1 || m.Free != 2<<20-1536 {
				t.Errorf("%d blocks before the trace and %v bytes free, want 1 and %d", m.InitialLive, m.Free, 2<<20-1536)
			}
			settings := root["allocator_settings"].(map[string]any)
			if settings["garbage_collection_threshold"] != 0.8 || len(settings["roundup_power2_divisions"].(map[string]any)) != 16 {
				t.Errorf("settings are %v", settings)
			}
		})
	}
}

func TestLongTracesKeepThePickleRules(t *testing.T) {
	s := sample()
	var events []memviz.Event
	for i := range 5000 {
		e := memviz.Event{Action: memviz.ActionAlloc, Addr: base + 1<<40 + uint64(i)*512, Size: 512, Frames: s.Segments[0].Frames}
		free := e
		free.Action = memviz.ActionFreeCompleted
		events = append(events, e, free)
	}
	s.Traces[0] = events
	data := encode(t, asPickle, s)
	root, err := viewerOpen(data, true)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := viewerDraw(root); err != nil || len(m.Events) < 10000 {
		t.Errorf("drew %d events, %v", len(m.Events), err)
	}
	if n := bytes.Count(data, []byte("main.loadBatch")); n != 1 {
		t.Errorf("the shared stack is written %d times", n)
	}
}

func TestBothEncodingsReadBack(t *testing.T) {
	want := sample()
	for name, write := range encodings {
		data := encode(t, write, want)
		got, err := memviz.Read(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a, b := normal(t, got), normal(t, want)
		if a != b {
			t.Errorf("%s: read\n%s\nwant\n%s", name, a, b)
		}
		var again bytes.Buffer
		if err := write(got, &again); err != nil {
			t.Fatal(err)
		}
		if name == "json" && !bytes.Equal(again.Bytes(), data) {
			t.Errorf("%s: writing what was read gives other bytes", name)
		}
	}
}

// normal is s as indented JSON, with absent and empty lists alike.
func normal(t *testing.T, s *memviz.Snapshot) string {
	t.Helper()
	b, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(b), ": null", ": []"), "[\n   0,", "[0,")
}

func TestCheckNamesWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		breakIt func(*memviz.Snapshot)
		want    string
	}{
		"gap":           {func(s *memviz.Snapshot) { s.Segments[0].Blocks[1].Address++ }, "segment 0 at 0x7f0000000000: block 1 begins at"},
		"sum":           {func(s *memviz.Snapshot) { s.Segments[0].TotalSize++ }, "blocks have 2097152 bytes together"},
		"active":        {func(s *memviz.Snapshot) { s.Segments[0].Active = 7 }, "says 1024 and 7"},
		"state":         {func(s *memviz.Snapshot) { s.Segments[1].Blocks[0].State = "active_awaiting_free" }, "unknown state"},
		"type":          {func(s *memviz.Snapshot) { s.Segments[1].SegmentType = "huge" }, "neither small nor large"},
		"address":       {func(s *memviz.Snapshot) { s.Traces[1][0].Addr = 1 << 53 }, "event 0 of device 1: address"},
		"high segment":  {func(s *memviz.Snapshot) { s.Segments[0].Address = 1<<53 - 5 }, "below 2^53"},
		"action":        {func(s *memviz.Snapshot) { s.Traces[0][0].Action = "free" }, `unknown action "free"`},
		"negative size": {func(s *memviz.Snapshot) { s.Traces[0][0].Size = -1 }, "is negative"},
		"device":        {func(s *memviz.Snapshot) { s.Segments[0].Device = -1 }, "device -1 is negative"},
	} {
		s := sample()
		c.breakIt(s)
		for enc, write := range encodings {
			err := write(s, &bytes.Buffer{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: got %v, want something with %q", name, enc, err, c.want)
			}
		}
	}
}

func TestBadFilesAreOneLineErrors(t *testing.T) {
	whole := encode(t, asPickle, sample())
	wrongKind := func(body func(*pickle.Writer)) []byte {
		var buf bytes.Buffer
		w := pickle.NewWriter(&buf)
		body(w)
		w.Close()
		return buf.Bytes()
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":          {nil, "the file is empty"},
		"prose":          {[]byte("hello"), "neither JSON nor a pickle"},
		"cut JSON":       {encode(t, asJSON, sample())[:500], "not valid JSON"},
		"cut pickle":     {whole[:len(whole)/2], "more bytes are needed"},
		"other JSON":     {[]byte(`{"a":1}`), "neither segments nor device_traces"},
		"null":           {[]byte(`null`), "neither JSON nor a pickle"},
		"wrong type":     {[]byte(`{"segments":[{"device":"x"}]}`), "not valid JSON near byte"},
		"two objects":    {[]byte(`{"segments":[]} {}`), "more data after"},
		"other pickle":   {wrongKind(func(w *pickle.Writer) { w.Dict(func() { w.Key("a"); w.Int(1) }) }), "neither segments nor"},
		"number pickle":  {wrongKind(func(w *pickle.Writer) { w.Int(5) }), "where a dictionary belongs"},
		"list of what":   {[]byte(`[5]`), "not valid JSON"},
		"wrong member":   {wrongKind(func(w *pickle.Writer) { w.Dict(func() { w.Key("segments"); w.Int(1) }) }), "segments: a int64 where a list belongs"},
		"broken gzip":    {[]byte{0x1f, 0x8b, 8, 0}, "gzip"},
		"negative place": {[]byte(`{"segments":[{"address":-1}]}`), "not valid JSON"},
	} {
		_, err := memviz.Read(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want something with %q", name, err, c.want)
		}
	}
}

func TestOlderDumpsAreCompleted(t *testing.T) {
	const segments = `[{"device":0,"address":4096,"total_size":1536,"stream":0,"blocks":[
		{"size":512,"state":"active_allocated","requested_size":500},{"size":1024,"state":"inactive"}]}]`
	for name, text := range map[string]string{
		"segments alone": segments,
		"newer actions":  `{"segments":` + segments + `,"device_traces":[[{"action":"user_defined","addr":1},{"action":"alloc","addr":4096,"size":500}]]}`,
	} {
		s, err := memviz.Read([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if g := s.Segments[0]; g.Allocated != 512 || g.Active != 512 || g.Blocks[1].Address != 4608 || g.SegmentType != "large" {
			t.Errorf("%s: %+v", name, g)
		}
		if len(s.Traces) == 1 && (len(s.Traces[0]) != 1 || s.Traces[0][0].Action != "alloc") {
			t.Errorf("%s: events %+v", name, s.Traces[0])
		}
	}
}

// TestPythonsPickles reads files that Python's own pickler wrote, in every
// protocol that Python has used for snapshots; testdata/make.py makes them.
func TestPythonsPickles(t *testing.T) {
	for protocol := 2; protocol <= 5; protocol++ {
		data, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("python-%d.pickle.gz", protocol)))
		if err != nil {
			t.Fatal(err)
		}
		s, err := memviz.Read(data)
		if err != nil {
			t.Errorf("protocol %d: %v", protocol, err)
			continue
		}
		events := s.Traces[0]
		if len(s.Traces) != 2 || len(events) != 1501 || events[1499].Addr != base+1499*512 || events[1500].DeviceFree != 1<<33 || events[0].Tag != "" {
			t.Errorf("protocol %d: events %+v to %+v", protocol, events[0], events[len(events)-1])
		}
		if g := s.Segments[0]; g.Stream != 94250112 || len(g.Blocks) != 3 || g.Blocks[0].Frames[0].Name != "load_batch" || g.Blocks[2].State != memviz.StateInactive {
			t.Errorf("protocol %d: segment %+v", protocol, g)
		}
		if set := s.Settings; set.MaxSplitSize != -1 || set.GCThreshold != 0.75 || !set.Expandable || set.RoundupPower2["2"] != 4 {
			t.Errorf("protocol %d: settings %+v", protocol, set)
		}
		if len(s.Notes) != 1 || s.Notes[0].Stage != "START" {
			t.Errorf("protocol %d: notes %+v", protocol, s.Notes)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, write := range encodings {
		var buf bytes.Buffer
		if err := write(sample(), &buf); err != nil {
			f.Fatal(err)
		}
		f.Add(buf.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := memviz.Read(data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		// What was read is fit to be written, and to be read again.
		for name, write := range encodings {
			var buf bytes.Buffer
			if err := write(s, &buf); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if _, err := memviz.Read(buf.Bytes()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	})
}

// BenchmarkWrite writes 100,000 events with 200 different stacks.
func BenchmarkWrite(b *testing.B) {
	for _, depth := range []int{4, 16} {
		s := sample()
		s.Traces = [][]memviz.Event{make([]memviz.Event, 100_000)}
		stacks := make([][]memviz.Frame, 200)
		for i := range stacks {
			for k := range depth {
				stacks[i] = append(stacks[i], memviz.Frame{Filename: "module/train/step.go", Line: i, Name: fmt.Sprintf("module/train.(*Model).layer%d", k)})
			}
		}
		for i := range s.Traces[0] {
			s.Traces[0][i] = memviz.Event{Action: memviz.ActionAlloc, Addr: base + uint64(i)*512, Size: 512, TimeUS: 1_790_000_000_000_000, Frames: stacks[i%len(stacks)]}
		}
		for name, write := range encodings {
			b.Run(fmt.Sprintf("%s/frames=%d", name, depth), func(b *testing.B) {
				var buf bytes.Buffer
				for b.Loop() {
					buf.Reset()
					if err := write(s, &buf); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(buf.Len())/1e6, "MB")
			})
		}
	}
}
