// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

var errBroken = errors.New("broken device")

// workload allocates, shares and frees on two streams until a call fails or
// the program ends. It returns what is still open.
func workload(d *gpumem.Device, s *gpumem.Stream) (open []gpumem.Buffer, failed []error) {
	sizes := []int64{300, 40 << 10, 3 * mib, 12 * mib, 25 * mib, 64 * mib}
	note := func(err error) {
		if err != nil {
			failed = append(failed, err)
		}
	}
	for i := range 60 {
		opts := []gpumem.AllocOption{gpumem.On(d.DefaultStream())}
		if i%3 == 0 {
			opts[0] = gpumem.On(s)
		}
		b, err := d.Alloc(sizes[(i*7)%len(sizes)], opts...)
		note(err)
		if err == nil {
			open = append(open, b)
		}
		if i%4 == 1 && len(open) > 0 {
			note(open[len(open)-1].UsedOn(s))
		}
		if len(open) > 4 {
			note(open[i%4].Close())
			open = append(open[:i%4], open[i%4+1:]...)
		}
		if i%20 == 19 {
			_, err := d.Trim(0)
			note(err)
		}
	}
	return open, failed
}

// TestFaultAtEveryCall makes each driver call of a workload fail in turn, once
// as out of memory and once as a broken device. Whatever happens, the books
// must be right, and in the end nothing may be lost.
func TestFaultAtEveryCall(t *testing.T) {
	for _, o := range settings {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			struckAt := map[simdrv.Op]int64{}
			for _, op := range simdrv.Ops() {
				for _, fault := range []error{gpumem.ErrOutOfMemory, errBroken} {
					for n := int64(1); ; n++ {
						struck, err := withFault(o, op, n, fault)
						if err != nil {
							t.Fatalf("%s fails at call %d (%v): %v", op, n, fault, err)
						}
						if !struck {
							break // the workload makes fewer calls
						}
						struckAt[op]++
					}
				}
			}
			t.Logf("faults by call: %v", struckAt)
			must := []simdrv.Op{simdrv.OpAlloc, simdrv.OpFree, simdrv.OpNewEvent, simdrv.OpRecord}
			if strings.Contains(o.conf, "expandable") {
				must = []simdrv.Op{simdrv.OpReserve, simdrv.OpRelease, simdrv.OpMap, simdrv.OpUnmap, simdrv.OpSyncStream, simdrv.OpRecord}
			}
			if o.policy == gpumem.PolicyBest {
				must = append(must, simdrv.OpWait)
			} else {
				must = append(must, simdrv.OpQuery)
			}
			for _, op := range must {
				if struckAt[op] == 0 {
					t.Errorf("the workload makes no %s call, so its failure is not tested", op)
				}
			}
		})
	}
}

// withFault runs the workload with one failing call and reports whether the
// call was made.
func withFault(o setting, op simdrv.Op, n int64, fault error) (struck bool, err error) {
	sim := simdrv.New(simdrv.Config{Capacity: 256 * mib})
	armed := false
	sim.OnCall(func(got simdrv.Op, _ int64) error {
		if !armed || got != op {
			return nil
		}
		if n--; n == 0 {
			struck = true
			return fmt.Errorf("injected: %w", fault)
		}
		return nil
	})
	d, err := gpumem.Open(sim, gpumem.WithPolicy(o.policy), gpumem.WithConf(o.conf), gpumem.WithLimit(200*mib), gpumem.WithPressureGC(false))
	if err != nil {
		return false, err
	}
	s, err := d.NewStream()
	if err != nil {
		return false, err
	}
	armed = true
	open, failed := workload(d, s)
	armed = false
	if err := gpumem.Check(d); err != nil {
		return struck, err
	}
	for _, err := range failed {
		if !errors.Is(err, fault) && !errors.Is(err, gpumem.ErrOutOfMemory) {
			return struck, fmt.Errorf("an error hides its cause: %w", err)
		}
	}
	// A close that reported a failure has given the buffer up all the same.
	for _, b := range open {
		if err := b.Close(); err != nil && !errors.Is(err, gpumem.ErrClosed) {
			return struck, err
		}
	}
	if _, err := d.Trim(0); err != nil {
		return struck, err
	}
	if err := gpumem.Check(d); err != nil {
		return struck, err
	}
	if r := sim.Races(); len(r) > 0 {
		return struck, fmt.Errorf("%d races, the first: %v", len(r), r[0])
	}
	if err := s.Close(); err != nil {
		return struck, err
	}
	if err := d.Close(); err != nil {
		return struck, err
	}
	return struck, nil
}
