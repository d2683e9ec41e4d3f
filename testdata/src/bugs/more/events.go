// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package more

import (
	"context"
	"log"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// watch frees the set when the context ends, and not where registering fails.
func watch(ctx context.Context, devices []nvml.Device) nvml.Return {
	set, ret := nvml.EventSetCreate()
	if ret != nvml.SUCCESS {
		return ret
	}
	for _, d := range devices {
		if ret := d.RegisterEvents(nvml.EventTypeXidCriticalError, set); ret != nvml.SUCCESS {
			log.Printf("register: %v", ret)
			return ret // want GM101
		}
	}
	for ctx.Err() == nil {
		if _, ret := set.Wait(1000); ret != nvml.SUCCESS && ret != nvml.ERROR_TIMEOUT {
			break
		}
	}
	return set.Free()
}

// poll takes a sample per round.
func poll(ctx context.Context, d nvml.Device, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s, ret := nvml.GpmSampleAlloc() // want GM102
		if ret != nvml.SUCCESS {
			log.Println(ret)
			continue
		}
		if ret := s.Get(d); ret != nvml.SUCCESS {
			log.Println(ret)
		}
	}
}

// health keeps the set in a goroutine that only waits.
func health(stop <-chan struct{}, report func(nvml.EventData)) error {
	set, ret := nvml.EventSetCreate() // want GM102
	if ret != nvml.SUCCESS {
		return ret
	}
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if e, ret := set.Wait(1000); ret == nvml.SUCCESS {
				report(e)
			}
		}
	}()
	return nil
}

// library is handed in; what it creates is still ours.
func once(lib nvml.Interface) (nvml.EventData, error) {
	set, ret := lib.EventSetCreate() // want GM102
	if ret != nvml.SUCCESS {
		return nvml.EventData{}, ret
	}
	e, ret := lib.EventSetWait(set, 10)
	if ret != nvml.SUCCESS {
		return nvml.EventData{}, ret
	}
	return e, nil
}
