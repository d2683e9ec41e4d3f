// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package memviz_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/profile/rmm"
)

// TestViewerRulesOnRealSnapshots holds what an allocator really reports to the
// viewer's rules: two streams, a private pool, failures, mapped segments.
func TestViewerRulesOnRealSnapshots(t *testing.T) {
	for _, policy := range []gpumem.Policy{gpumem.PolicyBest, gpumem.PolicyPyTorch} {
		for _, conf := range []string{"", "expandable_segments:True", "max_split_size_mb:32,garbage_collection_threshold:0.5"} {
			t.Run(fmt.Sprintf("%v/%s", policy, conf), func(t *testing.T) {
				d, err := gpumem.Open(simdrv.New(simdrv.Config{Capacity: 1 << 30}), gpumem.WithPolicy(policy), gpumem.WithConf(conf),
					gpumem.WithLimit(512<<20), gpumem.WithTracking(gpumem.TrackStack), gpumem.WithHistory(20_000))
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close() // what is alive at the end is the test's subject
				live := churn(t, d)
				s := profile.Take(d)
				for name, write := range encodings {
					root, err := viewerOpen(encode(t, write, s), name == "pickle")
					if err != nil {
						t.Fatal(err)
					}
					m, err := viewerDraw(root)
					if err != nil {
						t.Fatal(err)
					}
					if n, err := viewerHistory(root, 0); err != nil || n < 2000 {
						t.Errorf("%s: state history of %d moments: %v", name, n, err)
					}
					if m.InitialLive != 0 {
						t.Errorf("%s: the viewer takes %d blocks for older than the trace", name, m.InitialLive)
					}
					held := 0
					for _, stack := range m.Live {
						if strings.Contains(stack, "memviz_test.churn") {
							held++
						}
					}
					if held < live {
						t.Errorf("%s: the viewer shows %d blocks with our stack, want at least %d", name, held, live)
					}
					if len(m.Streams) < 2 {
						t.Errorf("%s: streams are %v", name, m.Streams)
					}
				}
			})
		}
	}
}

// TestViewerDrawsConvertedLogs does the same with a history that names no
// segments.
func TestViewerDrawsConvertedLogs(t *testing.T) {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{Capacity: 1 << 30}), gpumem.WithHistory(20_000))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close() // what is alive at the end is the test's subject
	churn(t, d)
	records := rmm.FromEntries(d.Snapshot(gpumem.SnapshotOptions{History: true}).History)
	root, err := viewerOpen(encode(t, asPickle, profile.FromEntries(rmm.Entries(records))), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := viewerDraw(root); err != nil {
		t.Error(err)
	}
	if n, err := viewerHistory(root, 0); err != nil || n < 2000 {
		t.Errorf("state history of %d moments: %v", n, err)
	}
}

// TestViewerReaderIsStrict makes sure that the reader notices what it is for.
func TestViewerReaderIsStrict(t *testing.T) {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{Capacity: 1 << 30}), gpumem.WithHistory(20_000))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close() // what is alive at the end is the test's subject
	churn(t, d)
	s := profile.Take(d)
	s.Segments = s.Segments[1:]
	root, err := viewerOpen(encode(t, asJSON, s), false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := viewerHistory(root, 0); err == nil {
		t.Error("a segment is missing and the state history draws")
	}
}

// churn allocates and frees in a random but reproducible order and leaves some
// buffers open, whose number it returns.
func churn(t *testing.T, d *gpumem.Device) int {
	r := rand.New(rand.NewPCG(1, 2))
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	pool, err := d.NewPool("weights")
	if err != nil {
		t.Fatal(err)
	}
	var open []gpumem.Buffer
	for range 2000 {
		if len(open) > 0 && r.IntN(100) < 48 {
			i := r.IntN(len(open))
			b := open[i]
			open[i] = open[len(open)-1]
			open = open[:len(open)-1]
			if r.IntN(4) == 0 {
				if err := b.UsedOn(s); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		opts := []gpumem.AllocOption{gpumem.Tag("churn")}
		switch r.IntN(6) {
		case 0:
			opts = append(opts, gpumem.On(s))
		case 1:
			opts = append(opts, gpumem.In(pool))
		}
		b, err := d.Alloc(int64(1)<<r.IntN(26), opts...)
		if err == nil { // the limit makes some fail, on purpose
			open = append(open, b)
		}
	}
	return len(open)
}

func BenchmarkTake(b *testing.B) {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{}), gpumem.WithTracking(gpumem.TrackStack), gpumem.WithHistory(100_000))
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	for range 50_000 {
		buf, err := d.Alloc(4096)
		if err != nil {
			b.Fatal(err)
		}
		if err := buf.Close(); err != nil {
			b.Fatal(err)
		}
	}
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if err := profile.Take(d).WriteJSON(&out); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len())/1e6, "MB")
}
