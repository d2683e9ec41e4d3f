// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// TestLiveSince makes things before and after a mark, on streams that were there
// and on new ones, with reused addresses.
func TestLiveSince(t *testing.T) {
	for name, opts := range map[string][]gpumem.Option{"plain": nil, "expandable": {gpumem.WithConf("expandable_segments:True")}} {
		t.Run(name, func(t *testing.T) {
			d := openSim(t, simdrv.Config{}, opts...)
			s, err := d.NewStream()
			if err != nil {
				t.Fatal(err)
			}
			var all []interface{ Close() error }
			take := func(tag string, n int64, more ...gpumem.AllocOption) gpumem.Buffer {
				t.Helper()
				b, err := d.Alloc(n, append(more, gpumem.Tag(tag))...)
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
			for i := range 20 {
				all = append(all, take("before", int64(i+1)<<10), take("before", int64(i+1)<<20, gpumem.On(s)))
			}
			gone := take("gone", 2<<20)
			m := d.Mark()
			if got := slices.Collect(d.LiveSince(m)); len(got) != 0 {
				t.Errorf("right after the mark: %v", got)
			}
			if err := gone.Close(); err != nil {
				t.Fatal(err)
			}
			fresh, err := d.NewStream()
			if err != nil {
				t.Fatal(err)
			}
			after := []interface{ Close() error }{take("after", 2<<20), take("after", 1000), take("after", 64<<20, gpumem.On(s)), take("after", 5<<20, gpumem.On(fresh))}
			v, err := all[0].(gpumem.Buffer).View(0, 100)
			if err != nil {
				t.Fatal(err)
			}
			after = append(after, v)
			kinds := map[gpumem.Kind]int{}
			for r := range d.LiveSince(m) {
				kinds[r.Kind]++
				if r.Kind == gpumem.KindBuffer && r.Tag != "after" {
					t.Errorf("listed: %v", r)
				}
			}
			if kinds[gpumem.KindBuffer] != 4 || kinds[gpumem.KindView] != 1 || kinds[gpumem.KindStream] != 1 {
				t.Errorf("since the mark: %v", kinds)
			}
			for range d.LiveSince(m) {
				break // an iterator may be left
			}
			for _, c := range slices.Concat(after, all) {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
			if err := errors.Join(fresh.Close(), s.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	d := openSim(t, simdrv.Config{}, gpumem.WithTracking(gpumem.TrackSite))
	weights, err := d.Alloc(100 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer weights.Close()
	var kept []gpumem.Buffer
	infer := func(peak, keep int64, budget gpumem.Budget) error {
		return d.Within(context.Background(), budget, func(_ context.Context, s *gpumem.Scope) error {
			if _, err := s.Alloc(peak); err != nil {
				return err
			}
			for ; keep > 0; keep -= 1 << 20 {
				b, err := d.Alloc(1<<20, gpumem.Tag("graph"), gpumem.At(gpumem.RegisterSite("infer.go:9 forward")))
				if err != nil {
					return err
				}
				kept = append(kept, b)
			}
			return nil
		})
	}
	if err := infer(10<<20, 0, gpumem.Budget{Name: "inference", Peak: 10 << 20}); err != nil {
		t.Errorf("within the budget: %v", err)
	}
	if err := infer(1<<20, 2<<20, gpumem.Budget{Name: "inference", Keep: 2 << 20}); err != nil {
		t.Errorf("within what may be kept: %v", err)
	}
	var e *gpumem.BudgetError
	err = infer(1<<20, 5<<20, gpumem.Budget{Name: "inference", Keep: 2 << 20})
	want := `budget "inference" exceeded: 5.00 MiB are kept in 5, 2.00 MiB are allowed; buffer of 1.00 MiB at `
	if !errors.As(err, &e) || len(e.Kept) != 5 || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), `"graph" from infer.go:9 forward; and 2 more`) {
		t.Errorf("too much kept: %v", err)
	}
	err = infer(30<<20, 0, gpumem.Budget{Name: "inference", Peak: 20 << 20})
	if !errors.As(err, &e) || e.Kept != nil || e.Peak != 30<<20 || err.Error() != `budget "inference" exceeded: 30.00 MiB were needed at the peak, 20.00 MiB are allowed` {
		t.Errorf("too much at the peak: %v", err)
	}
	broken := errors.New("no such model")
	err = d.Within(context.Background(), gpumem.Budget{Name: "x"}, func(context.Context, *gpumem.Scope) error {
		b, err := d.Alloc(512)
		kept = append(kept, b)
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) || !errors.As(err, &e) {
		t.Errorf("an error and too much kept: %v", err)
	}
	for _, b := range kept {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

func ExampleDevice_Within() {
	d := openExample()
	var cache []gpumem.Buffer
	err := d.Within(context.Background(), gpumem.Budget{Name: "inference"}, func(ctx context.Context, s *gpumem.Scope) error {
		out, err := d.Alloc(4<<20, gpumem.At(gpumem.RegisterSite("infer.go:9 forward"))) // not through the scope
		cache = append(cache, out)
		return err
	})
	fmt.Println(strings.Split(err.Error(), ";")[0])
	fmt.Println(cache[0].Close())
	// Output:
	// budget "inference" exceeded: 4.00 MiB are kept in 1, 0 B are allowed
	// <nil>
}

func ExampleTagType() {
	type float16 uint16
	d := openExample()
	b, _ := gpumem.AllocOf[float16](d, 1<<20, gpumem.TagType[float16]())
	for r := range d.Live() {
		fmt.Println(r.Tag, gpumem.Bytes(r.Size))
	}
	fmt.Println(b.Close())
	// Output:
	// gpumem_test.float16 2.00 MiB
	// <nil>
}

// blameCaller allocates for others.
func blameCaller(d *gpumem.Device) (gpumem.Buffer, error) {
	return d.Alloc(512, gpumem.At(d.CallerSite(1)))
}

func TestCallerSite(t *testing.T) {
	for _, tracking := range []gpumem.Tracking{gpumem.TrackOff, gpumem.TrackSite, gpumem.TrackStack} {
		d := openSim(t, simdrv.Config{}, gpumem.WithTracking(tracking))
		b, err := blameCaller(d)
		if err != nil {
			t.Fatal(err)
		}
		for r := range d.Live() {
			frames := r.Site.Frames()
			if tracking == gpumem.TrackOff {
				if len(frames) != 0 {
					t.Errorf("without tracking: %v", r.Site)
				}
				continue
			}
			if len(frames) == 0 || !strings.HasSuffix(frames[0].Function, "gpumem_test.TestCallerSite") {
				t.Errorf("tracking %d blames %v", tracking, r.Site)
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}
