// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// switchDriver has events that are done when the switch says so.
type switchDriver struct {
	benchDriver
	done bool
}

func (d *switchDriver) Granularity() int64              { return smallBuffer }
func (d *switchDriver) Reserve(n int64) (Ptr, error)    { return d.Alloc(n) }
func (d *switchDriver) Release(Ptr, int64) error        { return nil }
func (d *switchDriver) Map(_ Ptr, _, _ int64) error     { return nil }
func (d *switchDriver) Unmap(Ptr, int64) error          { return nil }
func (d *switchDriver) Query(EventHandle) (bool, error) { return d.done, nil }

func TestPyTorchRules(t *testing.T) {
	confs := []string{"", "max_split_size_mb:24", "max_split_size_mb:40,max_non_split_rounding_mb:64",
		"garbage_collection_threshold:0.6", "garbage_collection_threshold:0.3,max_split_size_mb:30",
		"roundup_power2_divisions:[1:4,16:2,>:8]", "large_segment_size_mb:32",
		"expandable_segments:True", "expandable_segments:True,max_split_size_mb:24", "expandable_segments:True,garbage_collection_threshold:0.4"}
	for _, text := range confs {
		for seed := range int64(6) {
			for _, limit := range []int64{0, 300 * mib} {
				if err := comparePyTorch(text, seed, limit); err != nil {
					t.Errorf("%q, seed %d, limit %v: %v", text, seed, Bytes(limit), err)
				}
			}
		}
	}
}

func comparePyTorch(text string, seed, limit int64) error {
	conf, err := ParseConf(text)
	if err != nil {
		return err
	}
	drv := &switchDriver{}
	d, err := Open(drv, WithPolicy(PolicyPyTorch), WithSettings(conf), WithLimit(limit), WithPressureGC(false))
	if err != nil {
		return err
	}
	model := &plainPyTorch{conf: conf, limit: limit, next: 0x7f0000000000}
	streams := []*Stream{d.DefaultStream(), d.WrapStream(7), d.WrapStream(3)}
	type live struct {
		buf   Buffer
		block *plainBlock
	}
	var open []live
	rnd := rand.New(rand.NewSource(seed))
	for step := range 3000 {
		drv.done = rnd.Intn(4) == 0
		model.done = drv.done
		if len(open) == 0 || rnd.Intn(100) < 52 {
			n := int64(1) << rnd.Intn(26)
			n += rnd.Int63n(n)
			s := streams[rnd.Intn(len(streams))]
			buf, err := d.Alloc(n, On(s))
			block := model.malloc(n, s.Handle())
			if err != nil && !errors.Is(err, ErrOutOfMemory) {
				return err
			}
			if (err != nil) != (block == nil) {
				return fmt.Errorf("step %d: %d bytes: %v, the rules give %v", step, n, err, block)
			}
			if err != nil {
				continue
			}
			if buf.Ptr() != block.addr || buf.Cap() != block.size {
				return fmt.Errorf("step %d: %d bytes are %d at %v, the rules say %d at %v", step, n, buf.Cap(), buf.Ptr(), block.size, block.addr)
			}
			open = append(open, live{buf, block})
		} else {
			i := rnd.Intn(len(open))
			used := rnd.Intn(8) == 0
			if used {
				if err := open[i].buf.UsedOnHandle(99); err != nil {
					return err
				}
			}
			if err := open[i].buf.Close(); err != nil {
				return err
			}
			model.free(open[i].block, used)
			open = slices.Delete(open, i, i+1)
		}
		var s Stats
		d.ReadStats(&s)
		if s.NumDeviceAlloc != model.allocs || s.NumDeviceFree != model.frees || s.NumAllocRetries != model.retries ||
			s.ReservedBytes.All.Current != model.reserved {
			return fmt.Errorf("step %d: %d and %d driver calls, %d retries, %d reserved; the rules give %d, %d, %d, %d", step, s.NumDeviceAlloc,
				s.NumDeviceFree, s.NumAllocRetries, s.ReservedBytes.All.Current, model.allocs, model.frees, model.retries, model.reserved)
		}
	}
	for _, l := range open {
		if err := l.buf.Close(); err != nil {
			return err
		}
	}
	if err := check(d); err != nil {
		return err
	}
	return d.Close()
}
