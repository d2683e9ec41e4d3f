// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// Sample is one reading.
type Sample struct {
	UUID string
	Used uint64
}

// Collect reads all devices once.
func Collect() ([]Sample, error) {
	if ret := nvml.Init(); ret != nvml.SUCCESS {
		return nil, fmt.Errorf("init: %v", nvml.ErrorString(ret))
	}
	defer func() {
		if ret := nvml.Shutdown(); ret != nvml.SUCCESS {
			log.Printf("shutdown: %v", nvml.ErrorString(ret))
		}
	}()
	count, ret := nvml.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return nil, fmt.Errorf("count: %v", nvml.ErrorString(ret))
	}
	var out []Sample
	for i := 0; i < count; i++ {
		dev, ret := nvml.DeviceGetHandleByIndex(i)
		if ret != nvml.SUCCESS {
			return nil, fmt.Errorf("device %d: %v", i, nvml.ErrorString(ret))
		}
		uuid, ret := dev.GetUUID()
		if ret != nvml.SUCCESS {
			continue
		}
		mem, ret := dev.GetMemoryInfo()
		if ret != nvml.SUCCESS {
			continue
		}
		out = append(out, Sample{uuid, mem.Used})
	}
	return out, nil
}

// Monitor watches devices for events in a goroutine of its own.
type Monitor struct {
	lib  nvml.Interface
	set  nvml.EventSet
	stop chan struct{}
	wg   sync.WaitGroup
}

// NewMonitor registers for events; without them there is no monitor.
func NewMonitor(lib nvml.Interface) (*Monitor, error) {
	if ret := lib.Init(); ret != nvml.SUCCESS {
		return nil, ret
	}
	set, ret := lib.EventSetCreate()
	if ret != nvml.SUCCESS {
		lib.Shutdown()
		return nil, ret
	}
	m := &Monitor{lib: lib, set: set, stop: make(chan struct{})}
	if err := m.register(); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *Monitor) register() error {
	n, ret := m.lib.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return ret
	}
	for i := range n {
		d, ret := m.lib.DeviceGetHandleByIndex(i)
		if ret != nvml.SUCCESS {
			return ret
		}
		if ret := d.RegisterEvents(nvml.EventTypeXidCriticalError, m.set); ret != nvml.SUCCESS && ret != nvml.ERROR_NOT_SUPPORTED {
			return ret
		}
	}
	return nil
}

// Start hands events to fn until Close.
func (m *Monitor) Start(fn func(nvml.EventData)) {
	m.wg.Add(1)
	go func() {
		defer m.wg.Done()
		for {
			select {
			case <-m.stop:
				return
			default:
			}
			e, ret := m.set.Wait(5000)
			switch ret {
			case nvml.SUCCESS:
				fn(e)
			case nvml.ERROR_TIMEOUT:
			default:
				log.Printf("wait: %v", ret)
				time.Sleep(time.Second)
			}
		}
	}()
}

// Close stops the goroutine and frees the set.
func (m *Monitor) Close() error {
	close(m.stop)
	m.wg.Wait()
	if ret := m.set.Free(); ret != nvml.SUCCESS {
		return ret
	}
	if ret := m.lib.Shutdown(); ret != nvml.SUCCESS {
		return ret
	}
	return nil
}

// Health runs a monitor as long as ctx.
func Health(ctx context.Context, unhealthy chan<- uint64) error {
	m, err := NewMonitor(nvml.New())
	if err != nil {
		return err
	}
	defer m.Close()
	m.Start(func(e nvml.EventData) { unhealthy <- e.EventData })
	<-ctx.Done()
	return ctx.Err()
}

// Metrics compares two samples of the performance counters.
func Metrics(dev nvml.Device, wait time.Duration) (ret nvml.Return) {
	a, ret := nvml.GpmSampleAlloc()
	if ret != nvml.SUCCESS {
		return ret
	}
	defer func() { _ = a.Free() }()
	b, ret := nvml.GpmSampleAlloc()
	if ret != nvml.SUCCESS {
		return ret
	}
	defer func() { _ = nvml.GpmSampleFree(b) }()
	if ret := a.Get(dev); ret != nvml.SUCCESS {
		return ret
	}
	time.Sleep(wait)
	return b.Get(dev)
}
