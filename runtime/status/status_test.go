// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/status"
)

func openSim(t *testing.T, opts ...gpumem.Option) *gpumem.Device {
	t.Helper()
	d, err := gpumem.Open(simdrv.New(simdrv.Config{Capacity: 1 << 30, Name: "demo GPU"}), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// TestRoundTrip serves a device and reads it back.
func TestRoundTrip(t *testing.T) {
	d := openSim(t, gpumem.WithTracking(gpumem.TrackStack), gpumem.WithLimit(512<<20))
	var live []gpumem.Buffer
	take := func(n int64, site string) {
		t.Helper()
		b, err := d.Alloc(n, gpumem.At(gpumem.RegisterSite(site)))
		if err != nil {
			t.Fatal(err)
		}
		live = append(live, b)
	}
	take(1<<20, "cache.go:41 load")
	take(1<<20, "cache.go:41 load")
	take(8<<20, "model.go:12 new")
	d.Step()
	srv := httptest.NewServer(status.Handler(func() []*gpumem.Device { return []*gpumem.Device{d} }))
	defer srv.Close()
	p, err := status.Fetch(context.Background(), nil, srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	if p.PID != os.Getpid() || p.Name == "" || p.Time.IsZero() || len(p.Devices) != 1 {
		t.Fatalf("program %+v", p)
	}
	got := p.Devices[0]
	want := []status.Site{{Site: "model.go:12 new", Count: 1, Bytes: 8 << 20}, {Site: "cache.go:41 load", Count: 2, Bytes: 2 << 20}}
	if !reflect.DeepEqual(got.Sites, want) {
		t.Errorf("sites %+v, want %+v", got.Sites, want)
	}
	var s gpumem.Stats
	d.ReadStats(&s)
	if got.Name != "demo GPU" || got.UUID != d.Info().UUID || got.Allocated != 10<<20 || got.Reserved != s.ReservedBytes.All.Current ||
		got.Limit != 512<<20 || got.Total != 1<<30 || got.Live != 3 || got.Allocs != 3 || got.Steps != 1 || got.PeakAllocated != 10<<20 {
		t.Errorf("device %+v", got)
	}
	if p := status.Take([]*gpumem.Device{d}, 1); len(p.Devices[0].Sites) != 1 || p.Devices[0].Sites[0] != want[0] {
		t.Errorf("one site asked for, got %+v", p.Devices[0].Sites)
	}
	for _, b := range live {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestNoDevicesIsAnEmptyList(t *testing.T) {
	srv := httptest.NewServer(status.Handler(func() []*gpumem.Device { return nil }))
	defer srv.Close()
	p, err := status.Fetch(context.Background(), srv.Client(), srv.URL)
	if err != nil || p.Devices == nil || len(p.Devices) != 0 {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestURL(t *testing.T) {
	for in, want := range map[string]string{
		"localhost:8080":             "http://localhost:8080/debug/gpumem",
		"http://h:1/":                "http://h:1/debug/gpumem",
		"https://h/other/path":       "https://h/other/path",
		"[::1]:9":                    "http://[::1]:9/debug/gpumem",
		"":                           "",
		"ftp://h/":                   "",
		"http://":                    "",
		"http://h:1:2:3/with spaces": "",
	} {
		got, err := status.URL(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("URL(%q) is %q, %v, want %q", in, got, err, want)
		}
	}
}

// TestFetchFails checks that each mistake is named in one line.
func TestFetchFails(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"not found": {"nothing here", http.StatusNotFound, "does the program call metrics.Register?"},
		"html":      {"<html>", http.StatusOK, "does not answer with a status"},
		"newer":     {`{"version": 7}`, http.StatusOK, "in version 7 of the format"},
		"other":     {`{"devices": []}`, http.StatusOK, "in version 0 of the format"},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}))
		_, err := status.Fetch(context.Background(), nil, srv.URL)
		srv.Close()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q in one line", name, err, c.want)
		}
	}
	if _, err := status.Fetch(context.Background(), nil, "http://127.0.0.1:1/"); err == nil {
		t.Error("nobody listens, and no error")
	}
}
