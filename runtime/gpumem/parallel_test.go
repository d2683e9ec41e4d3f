// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// TestParallel lets goroutines hammer a device, on streams of their own and on
// a shared one, with memory that wanders between them. It is for the race
// detector as much as for the sums.
func TestParallel(t *testing.T) {
	for _, o := range settings {
		t.Run(o.name, func(t *testing.T) {
			d, _ := open(t, simdrv.Config{Capacity: 4 << 30}, gpumem.WithPolicy(o.policy), gpumem.WithConf(o.conf),
				gpumem.WithLimit(2<<30), gpumem.WithTracking(gpumem.TrackSite), gpumem.WithHistory(100))
			var wg sync.WaitGroup
			pass := make(chan gpumem.Buffer, 64)
			for g := range 6 {
				wg.Add(1)
				go func() {
					defer wg.Done()
					s := d.DefaultStream()
					if g%2 == 0 {
						var err error
						if s, err = d.NewStream(); err != nil {
							t.Error(err)
							return
						}
						defer func() { closeAll(t, s) }()
					}
					for i := range 200 {
						b, err := d.Alloc(int64(1)<<(8+(i*7+g)%18), gpumem.On(s), gpumem.Tag("parallel"))
						if err != nil {
							t.Error(err)
							return
						}
						select {
						case pass <- b:
						default:
							closeAll(t, b)
						}
						select {
						case c := <-pass:
							if err := c.UsedOn(s); err != nil {
								t.Error(err)
							}
							closeAll(t, c)
						default:
						}
						if i%50 == 49 {
							_ = stats(d)
							if _, err := d.Trim(0); err != nil {
								t.Error(err)
							}
							d.Snapshot(gpumem.SnapshotOptions{History: true})
						}
					}
				}()
			}
			wg.Wait()
			close(pass)
			for b := range pass {
				closeAll(t, b)
			}
			if err := gpumem.Check(d); err != nil {
				t.Error(err)
			}
			if n := len(slices.Collect(d.Live())); n != 0 {
				t.Errorf("%d resources are live", n)
			}
		})
	}
}
