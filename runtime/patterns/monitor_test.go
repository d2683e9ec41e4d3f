// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package patterns_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/metrics"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/status"
)

func Example_top() {
	d := openSim(simdrv.Config{Foreign: 1 * gib}, gpumem.WithTracking(gpumem.TrackSite))
	b := must(d.Alloc(2*gib, at("model.go:31 model.New")))
	must(d.Alloc(1 * gib)).Close()
	// What gpumem top shows side by side: the driver's view and the allocator's.
	free, total, _ := d.Driver().MemInfo()
	a := status.Take([]*gpumem.Device{d}, 5).Devices[0]
	fmt.Println("nvidia-smi would say", gpumem.Bytes(total-free))
	fmt.Println("allocated", gpumem.Bytes(a.Allocated), "- reserved", gpumem.Bytes(a.Reserved), "- outside", gpumem.Bytes(total-free-a.Reserved))
	fmt.Println("by", a.Sites[0].Site)
	b.Close()
	// Output:
	// nvidia-smi would say 4.00 GiB
	// allocated 2.00 GiB - reserved 3.00 GiB - outside 1.00 GiB
	// by model.go:31 model.New
}

func Example_memoryAllocated() {
	d := open()
	b := must(d.Alloc(1000))
	s := stats(d) // a third of a microsecond
	fmt.Println("asked for", s.RequestedBytes.All.Current, "- allocated", s.AllocatedBytes.All.Current)
	b.Close()
	// Output:
	// asked for 1000 - allocated 1024
}

func Example_memoryReserved() {
	d := open()
	b := must(d.Alloc(30 * mib))
	c := must(d.Alloc(20 * mib))
	b.Close()
	s := stats(d)
	fmt.Println("allocated", gpumem.Bytes(s.AllocatedBytes.All.Current), "- reserved", gpumem.Bytes(s.ReservedBytes.All.Current))
	must(d.Trim(0)) // to the driver
	fmt.Println("reserved", gpumem.Bytes(stats(d).ReservedBytes.All.Current))
	c.Close()
	// Output:
	// allocated 20.00 MiB - reserved 50.00 MiB
	// reserved 20.00 MiB
}

func Example_peakOfAPhase() {
	d := open()
	weights := must(d.Alloc(100 * mib))
	for _, name := range []string{"forward", "backward"} {
		phase := d.Phase(name) // its own peak; the device's is not disturbed
		act := must(d.Alloc(int64(len(name)) * 10 * mib))
		act.Close()
		p := phase.End()
		fmt.Println(p.Name, "peak", gpumem.Bytes(p.Peak))
	}
	fmt.Println("the device's", gpumem.Bytes(stats(d).ActiveBytes.All.Peak))
	weights.Close()
	// Output:
	// forward peak 170.00 MiB
	// backward peak 180.00 MiB
	// the device's 180.00 MiB
}

func Example_events() {
	d := open(gpumem.WithHistory(1000), gpumem.WithPolicy(gpumem.PolicyPyTorch))
	must(d.Alloc(4*mib, gpumem.Tag("input"))).Close()
	for _, e := range d.Snapshot(gpumem.SnapshotOptions{History: true}).History {
		fmt.Printf("%v %v %q\n", e.Action, gpumem.Bytes(e.Size), e.Tag)
	}
	// Output:
	// segment_alloc 20.00 MiB ""
	// alloc 4.00 MiB "input"
	// free_requested 4.00 MiB "input"
	// free_completed 4.00 MiB "input"
	// snapshot 0 B ""
}

func Example_trace() {
	d := open(gpumem.WithHistory(1000))
	must(d.Alloc(4 * mib)).Close()
	var out bytes.Buffer
	err := profile.WriteTrace(&out, profile.Take(d)) // for ui.perfetto.dev, beside what Nsight or a profiler recorded
	var trace struct{ TraceEvents []struct{ Name string } }
	fmt.Println(err, json.Unmarshal(out.Bytes(), &trace), len(trace.TraceEvents) > 4)
	// Output:
	// <nil> <nil> true
}

func Example_peakSites() {
	d := open(gpumem.WithHistory(1000), gpumem.WithTracking(gpumem.TrackSite))
	w := must(d.Alloc(100*mib, at("model.go:31 model.New")))
	act := must(d.Alloc(300*mib, at("attention.go:57 scores")))
	act.Close()
	tail := must(d.Alloc(50*mib, at("loss.go:9 loss")))
	for _, s := range profile.NewWalk(profile.Take(d), 0).TopAtPeak(2) {
		fmt.Println(gpumem.Bytes(s.Bytes), s.Name)
	}
	tail.Close()
	w.Close()
	// Output:
	// 300.00 MiB attention.go:57 scores
	// 100.00 MiB model.go:31 model.New
}

func Example_shareByTag() {
	d := open(gpumem.WithHistory(1000))
	for range 3 { // steps
		pre := must(d.Alloc(300*mib, gpumem.Tag("preprocess")))
		act := must(d.Alloc(700*mib, gpumem.Tag("model")))
		act.Close()
		pre.Close()
	}
	tags := profile.PeakByTag(profile.Take(d), 0)
	all := int64(0)
	for _, t := range tags {
		all += t.Bytes
	}
	for _, t := range tags {
		fmt.Printf("%s %d %%\n", t.Name, t.Bytes*100/all)
	}
	// Output:
	// model 70 %
	// preprocess 30 %
}

func Example_outsideMemory() {
	sim := simdrv.New(simdrv.Config{Capacity: 8 * gib})
	d := must(gpumem.Open(sim))
	b := must(d.Alloc(1 * gib))
	outside := func() gpumem.Bytes {
		free, total, _ := sim.MemInfo()
		return gpumem.Bytes(total - free - stats(d).ReservedBytes.All.Current)
	}
	for range 3 {
		sim.SetForeign(int64(outside()) + 2*gib) // a C library that never frees
		fmt.Println("outside", outside())
	}
	_, err := d.Alloc(3 * gib)
	var oom *gpumem.OOMError
	fmt.Println(errors.As(err, &oom), oom.Kind, gpumem.Bytes(oom.Outside))
	b.Close()
	// Output:
	// outside 2.00 GiB
	// outside 4.00 GiB
	// outside 6.00 GiB
	// true foreign 6.00 GiB
}

func Example_prometheus() {
	d := open(gpumem.WithLimit(2 * gib))
	b := must(d.Alloc(1 * gib))
	mux := http.NewServeMux()
	if err := metrics.Register(mux, metrics.Devices(d)); err != nil {
		fmt.Println(err)
	}
	srv := httptest.NewServer(mux) // http.ListenAndServe("localhost:8080", mux)
	defer srv.Close()
	resp := must(http.Get(srv.URL + metrics.Path))
	defer resp.Body.Close()
	for line := range strings.Lines(string(must(io.ReadAll(resp.Body)))) {
		if strings.HasPrefix(line, "gpumem_limit_bytes") || strings.HasPrefix(line, "gpumem_allocated_bytes{") && strings.Contains(line, "large") {
			fmt.Println(line[:strings.Index(line, "{")], line[strings.Index(line, "} ")+2:len(line)-1])
		}
	}
	fmt.Println("alert at 80 % of the limit:", strings.Contains(metrics.AlertRules, "gpumem:allocated_per_limit:ratio > 0.80"))
	b.Close()
	// Output:
	// gpumem_allocated_bytes 1.073741824e+09
	// gpumem_limit_bytes 2.147483648e+09
	// alert at 80 % of the limit: true
}

func Example_regularAnalysis() {
	d := open(gpumem.WithTracking(gpumem.TrackSite))
	before := profile.Take(d)
	must(d.Alloc(2*mib, at("cache.go:88 cache.Append")))
	profile.NewDiff(before, profile.Take(d)).WriteText(printer{}) // or: gpumem diff before.json after.json
	// Output:
	// device 0: allocated 0 B → 2.00 MiB (+2.00 MiB), reserved 0 B → 2.00 MiB (+2.00 MiB), blocks 0 → 1 (+1)
	//
	// bytes  blocks  call site
	// +2.00 MiB      +1  cache.go:88 cache.Append
}

// printer prints without the spaces that examples may not end a line with.
type printer struct{}

func (printer) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		fmt.Println(strings.TrimSpace(line))
	}
	return len(p), nil
}
