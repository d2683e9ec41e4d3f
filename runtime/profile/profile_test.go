// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof" // its index page, on the default mux
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

const mib = 1 << 20

// open opens a simulated device that keeps a history and whole stacks.
func open(t testing.TB, cfg simdrv.Config, opts ...gpumem.Option) *gpumem.Device {
	t.Helper()
	d, err := gpumem.Open(simdrv.New(cfg), append([]gpumem.Option{gpumem.WithTracking(gpumem.TrackStack), gpumem.WithHistory(1000)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // these tests leave memory allocated on purpose
	return d
}

//go:noinline
func loadBatch(t testing.TB, d *gpumem.Device, n int64) gpumem.Buffer {
	b, err := d.Alloc(n, gpumem.Tag("input"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

//go:noinline
func activate(t testing.TB, d *gpumem.Device, n int64) gpumem.Buffer {
	b, err := d.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustClose(t testing.TB, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// work leaves three batches of 3 MiB alive; ten activations of 1 MiB came and went.
func work(t testing.TB, d *gpumem.Device) {
	for range 3 {
		loadBatch(t, d, 3*mib)
	}
	for range 10 {
		mustClose(t, activate(t, d, mib))
	}
}

// goToolPprof writes the profile and runs go tool pprof over it.
func goToolPprof(t *testing.T, s *memviz.Snapshot, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append(append([]string{"tool", "pprof"}, args...), writeProfile(t, s))...).Output()
	if err != nil {
		t.Fatalf("go tool pprof: %v\n%s", err, out)
	}
	return string(out)
}

func writeProfile(t *testing.T, s *memviz.Snapshot) string {
	t.Helper()
	var buf bytes.Buffer
	if err := profile.WriteProfile(&buf, s); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "gpumem.pb.gz")
	if err := os.WriteFile(name, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestGoToolPprofShowsGPUBytes(t *testing.T) {
	d := open(t, simdrv.Config{})
	work(t, d)
	s := profile.Take(d)
	const flat = `(?m)^\s*%s\s.*profile_test\.%s$`
	for _, c := range []struct{ args, value, function string }{
		{"-top", "9MB", "loadBatch"}, // live bytes are the default
		{"-top -sample_index=inuse_objects", "3", "loadBatch"},
		{"-top -sample_index=alloc_space", "10MB", "activate"},
		{"-top -sample_index=alloc_objects", "10", "activate"},
		{"-top -tagfocus=tag=input -sample_index=alloc_space", "9MB", "loadBatch"},
	} {
		out := goToolPprof(t, s, strings.Fields(c.args)...)
		if !regexp.MustCompile(fmt.Sprintf(flat, c.value, c.function)).MatchString(out) {
			t.Errorf("pprof %s shows no %s for %s:\n%s", c.args, c.value, c.function, out)
		}
	}
	if out := goToolPprof(t, s, "-peek", "loadBatch$"); !strings.Contains(out, "profile_test.work") {
		t.Errorf("the caller is missing:\n%s", out)
	}
}

func TestDiffBaseShowsGrowthAlone(t *testing.T) {
	d := open(t, simdrv.Config{})
	work(t, d)
	base := writeProfile(t, profile.Take(d))
	activate(t, d, 5*mib)
	out := goToolPprof(t, profile.Take(d), "-top", "-diff_base="+base)
	if !regexp.MustCompile(`(?m)^\s*5MB\s.*profile_test\.activate$`).MatchString(out) || regexp.MustCompile(`(?m)^\s*\d+MB.*loadBatch$`).MatchString(out) {
		t.Errorf("the growth is 5 MB in activate and nothing else:\n%s", out)
	}
}

func TestProfileIsWellFormed(t *testing.T) {
	d := open(t, simdrv.Config{}, gpumem.WithConf("garbage_collection_threshold:0.8"), gpumem.WithLimit(1<<30))
	work(t, d)
	p := profile.Profile(profile.Take(d))
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, st := range p.SampleType {
		types = append(types, st.Type+"/"+st.Unit)
	}
	if got := strings.Join(types, " "); got != "alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes" {
		t.Errorf("sample types are %s", got)
	}
	if p.DefaultSampleType != "inuse_space" || p.PeriodType.Type != "space" || p.Period != 1 {
		t.Errorf("default %s, period %d %s", p.DefaultSampleType, p.Period, p.PeriodType.Type)
	}
	if len(p.Comments) == 0 || p.Comments[0] != "allocator settings: garbage_collection_threshold:0.8" {
		t.Errorf("comments are %q", p.Comments)
	}
	for _, s := range p.Sample {
		for key, values := range s.Label {
			if strings.HasPrefix(key, "pprof::") || len(values) != 1 {
				t.Errorf("label %s has %q", key, values)
			}
		}
		if s.NumUnit["bytes"][0] != "bytes" || s.Value[0]*s.NumLabel["bytes"][0] != s.Value[1] {
			t.Errorf("a sample of blocks of %d bytes has values %d", s.NumLabel["bytes"], s.Value)
		}
		if got := s.Label["pool"][0]; got != "large" && got != "small" {
			t.Errorf("pool %q", got)
		}
	}
}

func TestUntrackedDeviceHasAProfileToo(t *testing.T) {
	d := open(t, simdrv.Config{}, gpumem.WithTracking(gpumem.TrackOff), gpumem.WithHistory(0))
	work(t, d)
	if out := goToolPprof(t, profile.Take(d), "-top"); !strings.Contains(out, "opened without tracking") {
		t.Errorf("got\n%s", out)
	}
}

func TestHandler(t *testing.T) {
	d := open(t, simdrv.Config{})
	work(t, d)
	mux := http.NewServeMux()
	profile.Register(mux)
	mux.Handle("/debug/pprof/", http.DefaultServeMux)
	mux.Handle("/one", profile.Handler(d))
	server := httptest.NewServer(mux)
	defer server.Close()
	get := func(path string) (int, []byte) {
		t.Helper()
		r, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, body
	}
	live := func(body []byte) (n int64) {
		t.Helper()
		p, err := pprof.ParseData(body)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sample {
			n += s.Value[3]
		}
		return n
	}
	_, body := get("/one")
	if got := live(body); got != 9*mib {
		t.Errorf("%d bytes are live, want %d", got, 9*mib)
	}
	if _, body = get(profile.Path + "?gc=1"); live(body) < 9*mib {
		t.Error("the handler of all devices misses this one")
	}
	if _, body = get("/one?debug=1"); !strings.Contains(string(body), "device 0: 9.00 MiB allocated in 3 blocks") {
		t.Errorf("as text:\n%s", body)
	}
	if _, body = get("/debug/pprof/"); !regexp.MustCompile(`<td>[1-9]\d*</td><td><a href='gpumem\?debug=1'>`).Match(body) {
		t.Errorf("the index page does not list it:\n%s", body)
	}
	for _, bad := range []string{"0", "x", "-1", "99999"} {
		if code, _ := get("/one?seconds=" + bad); code != http.StatusBadRequest {
			t.Errorf("seconds=%s: status %d", bad, code)
		}
	}
	if _, body = get("/one?seconds=1"); live(body) != 0 {
		t.Errorf("%d bytes came in a second in which nothing happened", live(body))
	}
}

func TestChangeIsTheDifference(t *testing.T) {
	d := open(t, simdrv.Config{})
	first := loadBatch(t, d, 3*mib)
	before := profile.Profile(profile.Take(d))
	mustClose(t, first)
	loadBatch(t, d, 2*mib)
	p, err := profile.Change(before, profile.Profile(profile.Take(d)))
	if err != nil {
		t.Fatal(err)
	}
	var count, space int64
	for _, s := range p.Sample {
		count += s.Value[2]
		space += s.Value[3]
	}
	if count != 0 || space != -mib || p.DefaultSampleType != "inuse_space" {
		t.Errorf("%+d blocks and %+d bytes, want none and %+d", count, space, -mib)
	}
}

func TestTraceForPerfetto(t *testing.T) {
	d := open(t, simdrv.Config{Capacity: 64 * mib})
	before := activate(t, d, mib)
	work(t, d)
	mustClose(t, before)
	if _, err := d.Alloc(1 << 40); err == nil {
		t.Fatal("1 TiB fits into 64 MiB")
	}
	s := profile.Take(d)
	s.Notes = []memviz.Annotation{{TimeUS: 10, Name: "step", Stage: "START"}, {TimeUS: 12, Name: "inner", Stage: "START"},
		{TimeUS: 15, Name: "step", Stage: "END"}, {TimeUS: 16, Name: "mark"}}
	var buf bytes.Buffer
	if err := profile.WriteTrace(&buf, s); err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct {
			Ph, Name, Cat, S, Sf string
			TS                   float64
			Dur                  *float64
			Args                 map[string]any
		}
		DisplayTimeUnit string
		StackFrames     map[string]struct{ Name, Parent string }
	}
	if err := json.Unmarshal(buf.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	var lastAllocated, lastCached float64
	for _, e := range trace.TraceEvents {
		seen[e.Ph+" "+e.Name]++
		switch e.Ph {
		case "C":
			lastAllocated, lastCached = e.Args["allocated"].(float64), e.Args["cached"].(float64)
			if lastAllocated < 0 || lastCached < 0 {
				t.Errorf("the counter is at %v and %v", lastAllocated, lastCached)
			}
		case "i":
			if e.Name != "[memory]" {
				break
			}
			for _, key := range []string{"Device Type", "Device Id", "Addr", "Bytes", "Total Allocated", "Total Reserved", "Ev Idx"} {
				if _, ok := e.Args[key]; !ok {
					t.Errorf("a [memory] event has no %q", key)
				}
			}
			var names []string
			for id := e.Sf; id != ""; id = trace.StackFrames[id].Parent {
				names = append(names, trace.StackFrames[id].Name)
			}
			if e.Args["Bytes"].(float64) > 0 && len(names) < 2 || e.Args["Bytes"].(float64) > 0 && !strings.Contains(strings.Join(names, "\n"), "TestTraceForPerfetto") {
				t.Errorf("a stack is %q", names)
			}
		case "X":
			if e.TS != 10 || *e.Dur != 5 {
				t.Errorf("the slice is at %v for %v", e.TS, *e.Dur)
			}
		}
	}
	for want, n := range map[string]int{"i [memory]": 11 + 3 + 11, "X step": 1, "i inner": 1, "i mark": 1, "i out of memory": 1, "M process_name": 1} {
		if seen[want] != n {
			t.Errorf("%d events %q, want %d", seen[want], want, n)
		}
	}
	total := profile.SumDevices(s)[0]
	if lastAllocated != 9*mib || lastAllocated+lastCached != float64(total.Reserved) {
		t.Errorf("the counter ends at %v and %v, want %d and %d in all", lastAllocated, lastCached, 9*mib, total.Reserved)
	}
}

func TestTotalsBeforeAForgottenHistory(t *testing.T) {
	d := open(t, simdrv.Config{}, gpumem.WithHistory(4))
	work(t, d)
	s := profile.Take(d)
	if s.Settings.Dropped == 0 {
		t.Fatal("nothing was forgotten")
	}
	var buf bytes.Buffer
	if err := profile.WriteTrace(&buf, s); err != nil {
		t.Fatal(err)
	}
	if want := `"allocated":10485760`; !strings.Contains(buf.String(), want) { // 9 MiB from before, 1 MiB in the history
		t.Errorf("no %s in\n%s", want, buf.String())
	}
}

func TestDiffNamesTheGrowth(t *testing.T) {
	d := open(t, simdrv.Config{})
	work(t, d)
	gone := activate(t, d, 4096)
	before := profile.Take(d)
	mustClose(t, gone)
	for range 2 {
		loadBatch(t, d, 3*mib)
	}
	diff := profile.NewDiff(before, profile.Take(d))
	if len(diff.Sites) != 2 {
		t.Fatalf("%d call sites changed, want 2: %+v", len(diff.Sites), diff.Sites)
	}
	grown, shrunk := diff.Sites[0], diff.Sites[1]
	if grown.Count() != 2 || grown.Bytes() != 6*mib || !strings.HasSuffix(profile.Leaf(grown.Frames), "profile_test.loadBatch") {
		t.Errorf("grown: %s %+v", profile.Leaf(grown.Frames), grown)
	}
	if shrunk.Count() != -1 || shrunk.Bytes() != -4096 {
		t.Errorf("shrunk: %+v", shrunk)
	}
	var text, same bytes.Buffer
	if err := diff.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"allocated 9.00 MiB → 15.00 MiB (+6.00 MiB)", "blocks 4 → 5 (+1)", "+6.00 MiB      +2  profile_test.go:", "-4.00 KiB      -1  profile_test.go:"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if err := profile.NewDiff(before, before).WriteText(&same); err != nil || !strings.Contains(same.String(), "no call site holds more or less") {
		t.Errorf("%v\n%s", err, same.String())
	}
}

func TestSeveralDevicesKeepApart(t *testing.T) {
	a, b := open(t, simdrv.Config{}), open(t, simdrv.Config{}) // both have ordinal 0
	loadBatch(t, a, mib)
	loadBatch(t, b, 2*mib)
	totals := profile.SumDevices(profile.Take(a, b))
	if len(totals) != 2 || totals[0].Allocated != mib || totals[1].Allocated != 2*mib {
		t.Errorf("totals are %+v", totals)
	}
}

func TestHistoryThereAndBack(t *testing.T) {
	d := open(t, simdrv.Config{Capacity: 64 * mib})
	work(t, d)
	if _, err := d.Alloc(1 << 40); err == nil {
		t.Fatal("1 TiB fits into 64 MiB")
	}
	snap := d.Snapshot(gpumem.SnapshotOptions{History: true})
	want := snap.History
	got := profile.Entries(profile.Export(snap), 0)
	if len(got) != len(want) {
		t.Fatalf("%d entries of %d came back", len(got), len(want))
	}
	for i := range got {
		w := want[i]
		w.Site, w.Time = 0, w.Time/1000*1000
		if got[i] != w {
			t.Errorf("entry %d is %+v, want %+v", i, got[i], w)
		}
	}
	if profile.Entries(profile.Take(d), 5) != nil {
		t.Error("a device that isn't there has a history")
	}
}

func ExampleWriteProfile() {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{}), gpumem.WithTracking(gpumem.TrackStack), gpumem.WithHistory(100_000))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	var file bytes.Buffer // a file, for go tool pprof
	if err := profile.WriteProfile(&file, profile.Take(d)); err != nil {
		fmt.Println(err)
	}
	fmt.Println(file.Len() > 0)
	// Output: true
}
