// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package svg_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
	"github.com/gpumemlint/gpumemlint/runtime/profile/svg"
)

var update = flag.Bool("update", false, "rewrite the picture in docs")

// picture is shown by docs/runtime.md.
const picture = "../../../docs/runtime.svg"

const mib = 1 << 20

// trainer is a made-up training run: weights, optimiser state, a batch and
// activations a step, and a cache that nobody empties.
type trainer struct {
	t     *testing.T
	d     *gpumem.Device
	now   time.Time
	stop  bool
	sites map[string]gpumem.SiteID
}

func (r *trainer) alloc(site string, size int64, opts ...gpumem.AllocOption) gpumem.Buffer {
	if r.sites[site] == 0 {
		r.sites[site] = gpumem.RegisterSite(site)
	}
	r.now = r.now.Add(3 * time.Millisecond)
	b, err := r.d.Alloc(size, append(opts, gpumem.At(r.sites[site]))...)
	var oom *gpumem.OOMError
	if err != nil && !errors.As(err, &oom) {
		r.t.Fatal(err)
	}
	r.stop = r.stop || err != nil
	return b
}

func (r *trainer) close(buffers ...gpumem.Buffer) {
	for i := len(buffers) - 1; i >= 0; i-- {
		r.now = r.now.Add(time.Millisecond)
		if buffers[i] == (gpumem.Buffer{}) {
			continue // the run ended before it was allocated
		}
		if err := buffers[i].Close(); err != nil {
			r.t.Fatal(err)
		}
	}
}

// train runs until memory is out and gives the snapshot of that moment.
func train(t *testing.T) *memviz.Snapshot {
	r := &trainer{t: t, now: time.Unix(1_790_000_000, 0), sites: map[string]gpumem.SiteID{}}
	d, err := gpumem.Open(simdrv.New(simdrv.Config{Capacity: 2 << 30}), gpumem.WithHistory(100_000), gpumem.WithPolicy(gpumem.PolicyPyTorch),
		gpumem.WithPressureGC(false), gpumem.WithClock(func() time.Time { return r.now }))
	if err != nil {
		t.Fatal(err)
	}
	r.d = d
	t.Cleanup(func() { _ = d.Close() }) // the cache is alive, which is the story
	copies, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	for layer := range 8 {
		r.alloc("model.go:31 model.New", int64(24+4*layer)*mib)
		r.alloc("model.go:34 model.New", 600<<10)
	}
	for step := 0; !r.stop; step++ {
		batch := r.alloc("loader.go:58 data.(*Loader).Next", int64(18+step%5*6)*mib, gpumem.Tag("input"))
		var acts []gpumem.Buffer
		for layer := range 8 {
			acts = append(acts, r.alloc("layer.go:112 nn.(*Layer).Forward", int64(10+3*layer+step%5*5)*mib))
			r.alloc("kvcache.go:88 nn.(*Cache).Append", int64(1+layer%3)*mib, gpumem.Tag("cache"))
		}
		grads := r.alloc("backward.go:40 nn.Backward", 64*mib)
		r.close(acts...)
		if step == 0 {
			r.alloc("adam.go:22 optim.NewAdam", 300*mib)
		}
		if r.stop {
			break
		}
		if err := batch.UsedOn(copies); err != nil {
			t.Fatal(err)
		}
		r.close(grads, batch)
	}
	return profile.Take(d)
}

func draw(t *testing.T, s *memviz.Snapshot) string {
	t.Helper()
	var buf bytes.Buffer
	if err := svg.Write(&buf, s, "a training run whose cache is never emptied"); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// elements parses a picture and counts its elements by name.
func elements(t *testing.T, picture string) map[string]int {
	t.Helper()
	n := map[string]int{}
	for dec := xml.NewDecoder(strings.NewReader(picture)); ; {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatalf("the picture is not XML: %v", err)
		}
		if e, ok := tok.(xml.StartElement); ok {
			n[e.Name.Local]++
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") || (a.Name.Local == "width" || a.Name.Local == "height") && strings.HasPrefix(a.Value, "-") {
					t.Errorf("%s has %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

func TestPictureTellsTheStory(t *testing.T) {
	s := train(t)
	got := draw(t, s)
	for _, want := range []string{"peak ", "out of memory", "kvcache.go:88 nn.(*Cache).Append", "milliseconds", "reserved from the driver", `tag &#34;cache&#34;`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	n := elements(t, got)
	if n["path"] < 5 || n["rect"] < 100 {
		t.Errorf("%d areas and %d blocks are drawn", n["path"], n["rect"])
	}
	if again := draw(t, train(t)); again != got {
		t.Error("the same run gives another picture")
	}
	if *update {
		if err := os.WriteFile(filepath.FromSlash(picture), []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(filepath.FromSlash(picture))
	if err != nil || string(want) != got {
		t.Errorf("%s is not this picture (%v); run go test ./runtime/profile/svg -update", picture, err)
	}
}

func TestOddSnapshotsDraw(t *testing.T) {
	const base = 0x7f00_0000_0000
	one := memviz.Segment{Device: 2, Address: base, TotalSize: 2 * mib, SegmentType: "small",
		Blocks: []memviz.Block{{Address: base, Size: 2 * mib, State: memviz.StateInactive}}}
	many := &memviz.Snapshot{}
	for i := range 3000 {
		g := one
		g.Address += uint64(i) * 2 * mib
		g.Blocks = []memviz.Block{{Address: g.Address, Size: 2 * mib, State: memviz.StateInactive}}
		many.Segments = append(many.Segments, g)
	}
	for name, c := range map[string]struct {
		s    *memviz.Snapshot
		want string
	}{
		"nothing":       {&memviz.Snapshot{}, "no device memory is reserved"},
		"segments only": {&memviz.Snapshot{Segments: []memviz.Segment{one}}, "device 2"},
		"many segments": {many, "… and 1000 smaller segments"},
		"one event":     {&memviz.Snapshot{Traces: [][]memviz.Event{{{Action: "alloc", Addr: 1, Size: 1}}}}, "1 events"},
		"no times": {&memviz.Snapshot{Traces: [][]memviz.Event{{{Action: "alloc", Addr: 1, Size: 5}, {Action: "free_completed", Addr: 1, Size: 5},
			{Action: "free_completed", Addr: 9, Size: 7}}}}, "peak 12 B"},
		"times go back": {&memviz.Snapshot{Traces: [][]memviz.Event{{{Action: "alloc", TimeUS: 9, Size: 1 << 40}, {Action: "oom", TimeUS: 3, Size: 1}}}}, "1 TiB"},
		"markup": {&memviz.Snapshot{Traces: [][]memviz.Event{{{Action: "alloc", Size: 1, Frames: []memviz.Frame{{Name: `<script>"&`}}}, {Action: "snapshot"}}}},
			"&lt;script&gt;&#34;&amp;"},
	} {
		got := draw(t, c.s)
		elements(t, got)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, got)
		}
	}
}

func TestLongTracesAreFolded(t *testing.T) {
	var events []memviz.Event
	for i := range 200_000 {
		events = append(events, memviz.Event{Action: "alloc", Addr: uint64(i), Size: 1, TimeUS: int64(1000 + i)})
		if i == 77_777 {
			events = append(events, memviz.Event{Action: "alloc", Addr: 1 << 40, Size: mib, TimeUS: int64(1000 + i)},
				memviz.Event{Action: "free_completed", Addr: 1 << 40, Size: mib, TimeUS: int64(1000 + i)})
		}
	}
	got := draw(t, &memviz.Snapshot{Traces: [][]memviz.Event{events}})
	if len(got) > 100_000 {
		t.Errorf("the picture has %d bytes", len(got))
	}
	if !strings.Contains(got, fmt.Sprintf("peak %v", gpumem.Bytes(mib+77_778))) {
		t.Error("the short peak is lost")
	}
}
