// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package nvml

import (
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
)

// board is what a mocked device says.
type board struct {
	uuid     string
	v2       nvml.Memory_v2
	mig      bool
	parts    map[int]board
	compute  []nvml.ProcessInfo
	graphics []nvml.ProcessInfo
	part     bool // a MIG instance, which offers less
	lost     bool
}

const unavailable = math.MaxUint64 // what NVML writes for a number that it does not have

func (b board) device() *mock.Device {
	status := func(offered bool) nvml.Return {
		switch {
		case b.lost:
			return nvml.ERROR_GPU_IS_LOST
		case !offered:
			return nvml.ERROR_NOT_SUPPORTED
		}
		return nvml.SUCCESS
	}
	return &mock.Device{
		GetUUIDFunc:          func() (string, nvml.Return) { return b.uuid, status(true) },
		GetNameFunc:          func() (string, nvml.Return) { return "NVIDIA H200", status(true) },
		GetMemoryInfo_v2Func: func() (nvml.Memory_v2, nvml.Return) { return b.v2, status(true) },
		GetMemoryInfoFunc: func() (nvml.Memory, nvml.Return) {
			return nvml.Memory{Total: b.v2.Total, Used: b.v2.Used + b.v2.Reserved, Free: b.v2.Free}, status(true)
		},
		GetPciInfoFunc: func() (nvml.PciInfo, nvml.Return) {
			var pci nvml.PciInfo
			for i, c := range "00000000:1B:00.0" {
				pci.BusId[i] = int8(c)
			}
			return pci, status(!b.part)
		},
		GetUtilizationRatesFunc: func() (nvml.Utilization, nvml.Return) { return nvml.Utilization{Gpu: 37}, status(!b.part) },
		GetTemperatureFunc:      func(nvml.TemperatureSensors) (uint32, nvml.Return) { return 41, status(!b.part) },
		GetMigModeFunc: func() (int, int, nvml.Return) {
			if b.mig {
				return nvml.DEVICE_MIG_ENABLE, nvml.DEVICE_MIG_ENABLE, status(!b.part)
			}
			return nvml.DEVICE_MIG_DISABLE, nvml.DEVICE_MIG_DISABLE, status(!b.part)
		},
		GetMaxMigDeviceCountFunc: func() (int, nvml.Return) { return 7, status(true) },
		GetMigDeviceHandleByIndexFunc: func(i int) (nvml.Device, nvml.Return) {
			p, ok := b.parts[i]
			if !ok {
				return nil, nvml.ERROR_NOT_FOUND
			}
			return p.device(), nvml.SUCCESS
		},
		GetComputeRunningProcessesFunc:  func() ([]nvml.ProcessInfo, nvml.Return) { return b.compute, status(true) },
		GetGraphicsRunningProcessesFunc: func() ([]nvml.ProcessInfo, nvml.Return) { return b.graphics, status(!b.part) },
	}
}

// host is a mocked library.
func host(boards ...board) *mock.Interface {
	lib := &mock.Interface{
		InitFunc:     func() nvml.Return { return nvml.SUCCESS },
		ShutdownFunc: func() nvml.Return { return nvml.SUCCESS },
		ExtensionsFunc: func() nvml.ExtendedInterface {
			return &mock.ExtendedInterface{LookupSymbolFunc: func(string) error { return nil }}
		},
		SystemGetDriverVersionFunc: func() (string, nvml.Return) { return "580.95.05", nvml.SUCCESS },
		SystemGetProcessNameFunc: func(pid int) (string, nvml.Return) {
			if pid == 4711 {
				return "/usr/bin/python3 train.py --big", nvml.SUCCESS
			}
			return "", nvml.ERROR_NOT_FOUND // in another container
		},
		DeviceGetCountFunc: func() (int, nvml.Return) { return len(boards), nvml.SUCCESS },
	}
	lib.DeviceGetHandleByIndexFunc = func(i int) (nvml.Device, nvml.Return) { return boards[i].device(), nvml.SUCCESS }
	lib.DeviceGetHandleByUUIDFunc = func(uuid string) (nvml.Device, nvml.Return) {
		for _, b := range boards {
			if b.uuid == uuid {
				return b.device(), nvml.SUCCESS
			}
			for _, p := range b.parts {
				if p.uuid == uuid {
					return p.device(), nvml.SUCCESS
				}
			}
		}
		return nil, nvml.ERROR_NOT_FOUND
	}
	return lib
}

const gib = 1 << 30

var plain = board{uuid: "GPU-aaaa", v2: nvml.Memory_v2{Total: 140 * gib, Reserved: 1 * gib, Used: 20 * gib, Free: 119 * gib},
	compute:  []nvml.ProcessInfo{{Pid: 12, UsedGpuMemory: 2 * gib}, {Pid: 4711, UsedGpuMemory: 15 * gib}, {Pid: 99, UsedGpuMemory: unavailable}},
	graphics: []nvml.ProcessInfo{{Pid: 12, UsedGpuMemory: 2 * gib}}}

var cut = board{uuid: "GPU-bbbb", v2: nvml.Memory_v2{Total: 140 * gib, Reserved: 1 * gib, Used: 12 * gib, Free: 127 * gib}, mig: true,
	compute: []nvml.ProcessInfo{{Pid: 7, UsedGpuMemory: 3 * gib, GpuInstanceId: 1}, {Pid: 7, UsedGpuMemory: 4 * gib, GpuInstanceId: 5}},
	parts: map[int]board{
		0: {uuid: "MIG-c0", part: true, v2: nvml.Memory_v2{Total: 16 * gib, Used: 3 * gib, Free: 13 * gib}, compute: []nvml.ProcessInfo{{Pid: 7, UsedGpuMemory: 3 * gib}}},
		4: {uuid: "MIG-c4", part: true, v2: nvml.Memory_v2{Total: 70 * gib, Used: 9 * gib, Free: 61 * gib}, compute: []nvml.ProcessInfo{{Pid: 7, UsedGpuMemory: 4 * gib}}},
	}}

func reader(t *testing.T, lib nvml.Interface) *Reader {
	t.Helper()
	r, err := open(lib)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil && !errors.Is(err, gpumem.ErrClosed) {
			t.Error(err)
		}
	})
	return r
}

func TestDevices(t *testing.T) {
	r := reader(t, host(plain, cut))
	got, err := r.Devices()
	if err != nil {
		t.Fatal(err)
	}
	want := []Device{
		{Index: 0, UUID: "GPU-aaaa", Name: "NVIDIA H200", BusID: "00000000:1B:00.0", Utilization: 37, Temperature: 41,
			Memory: Memory{Total: 140 * gib, Reserved: 1 * gib, Used: 20 * gib, Free: 119 * gib},
			Processes: []Process{{PID: 4711, Name: "python3", Used: 15 * gib}, {PID: 12, Name: got[0].Processes[1].Name, Used: 2 * gib},
				{PID: 99, Name: got[0].Processes[2].Name, Used: -1}}},
		{Index: 1, UUID: "GPU-bbbb", Name: "NVIDIA H200", BusID: "00000000:1B:00.0", Utilization: 37, Temperature: 41, MIG: true,
			Memory:    Memory{Total: 140 * gib, Reserved: 1 * gib, Used: 12 * gib, Free: 127 * gib},
			Processes: []Process{{PID: 7, Name: got[1].Processes[0].Name, Used: 7 * gib}},
			Instances: []Device{
				{Index: 0, UUID: "MIG-c0", Name: "NVIDIA H200", Utilization: -1, Temperature: -1, Memory: Memory{Total: 16 * gib, Used: 3 * gib, Free: 13 * gib},
					Processes: []Process{{PID: 7, Name: got[1].Processes[0].Name, Used: 3 * gib}}},
				{Index: 4, UUID: "MIG-c4", Name: "NVIDIA H200", Utilization: -1, Temperature: -1, Memory: Memory{Total: 70 * gib, Used: 9 * gib, Free: 61 * gib},
					Processes: []Process{{PID: 7, Name: got[1].Processes[0].Name, Used: 4 * gib}}},
			}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if r.Driver() != "580.95.05" {
		t.Errorf("driver %q", r.Driver())
	}
}

// TestOldDriver has no function that tells reserved from used memory.
func TestOldDriver(t *testing.T) {
	lib := host(plain)
	lib.ExtensionsFunc = func() nvml.ExtendedInterface {
		return &mock.ExtendedInterface{LookupSymbolFunc: func(name string) error { return errors.New("no symbol " + name) }}
	}
	got, err := reader(t, lib).Devices()
	if err != nil {
		t.Fatal(err)
	}
	if want := (Memory{Total: 140 * gib, Used: 21 * gib, Free: 119 * gib}); got[0].Memory != want {
		t.Errorf("memory %+v, want %+v", got[0].Memory, want)
	}
}

// TestLostDevice leaves a GPU out that fell off the bus, but says so where
// there is no other.
func TestLostDevice(t *testing.T) {
	gone := plain
	gone.lost = true
	got, err := reader(t, host(gone, cut)).Devices()
	if err != nil || len(got) != 1 || got[0].UUID != "GPU-bbbb" || got[0].Index != 1 {
		t.Errorf("got %+v, %v, want the second alone", got, err)
	}
	if _, err := reader(t, host(gone)).Devices(); err == nil || !strings.HasPrefix(err.Error(), "device 0: NVML: read the UUID: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("no device can be read, and the error is %v", err)
	}
	if got, err := reader(t, host()).Devices(); err != nil || len(got) != 0 {
		t.Errorf("a machine without GPUs: %v, %v", got, err)
	}
}

// TestByUUID finds GPUs and parts under NVML's spelling and under CUDA's.
func TestByUUID(t *testing.T) {
	r := reader(t, host(plain, cut))
	for asked, want := range map[string]string{"GPU-aaaa": "GPU-aaaa", "aaaa": "GPU-aaaa", "MIG-c4": "MIG-c4", "GPU-c4": "MIG-c4", "c4": "MIG-c4"} {
		if d, err := r.Device(asked); err != nil || d.UUID != want {
			t.Errorf("%s is %q, %v, want %s", asked, d.UUID, err, want)
		}
	}
	if _, err := r.Device("GPU-dddd"); err == nil || !strings.Contains(err.Error(), "GPU-dddd") {
		t.Errorf("a device that is not there: %v", err)
	}
	mine := plain
	mine.compute = append(mine.compute, nvml.ProcessInfo{Pid: uint32(os.Getpid()), UsedGpuMemory: 5 * gib})
	r = reader(t, host(mine))
	if total, used, process, err := r.Usage("GPU-aaaa"); err != nil || total != 140*gib || used != 20*gib || process != 5*gib {
		t.Errorf("usage %d, %d, %d, %v", total, used, process, err)
	}
	if _, _, process, err := reader(t, host(plain)).Usage("GPU-aaaa"); err != nil || process != -1 {
		t.Errorf("usage of a process that the driver does not name: %d, %v", process, err)
	}
}

// TestAttach checks that the report of a failed allocation names the others and
// not this process.
func TestAttach(t *testing.T) {
	mine := plain
	mine.compute = append(mine.compute, nvml.ProcessInfo{Pid: uint32(os.Getpid()), UsedGpuMemory: 5 * gib})
	r := reader(t, host(mine))
	d, err := gpumem.Open(simdrv.New(simdrv.Config{Capacity: 64 << 20, UUID: "GPU-aaaa"}))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	r.Attach(d)
	_, err = d.Alloc(1 * gib)
	var oom *gpumem.OOMError
	if !errors.As(err, &oom) {
		t.Fatalf("got %v", err)
	}
	if len(oom.Processes) != 3 || oom.Processes[0] != (gpumem.Process{PID: 4711, Name: "python3", Used: 15 * gib}) {
		t.Errorf("processes %+v", oom.Processes)
	}
	if !strings.Contains(oom.Report(), "process 4711 (python3) uses 15.00 GiB\n") {
		t.Errorf("report:\n%s", oom.Report())
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Alloc(1 * gib); !errors.As(err, &oom) || len(oom.Processes) != 0 {
		t.Errorf("after the reader was closed: %v, %+v", err, oom.Processes)
	}
	if _, err := r.Devices(); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("a closed reader: %v", err)
	}
	if err := r.Close(); !errors.Is(err, gpumem.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
}

// TestOpenFails checks that each way in which there is no driver is one line.
func TestOpenFails(t *testing.T) {
	for ret, want := range map[nvml.Return]string{
		nvml.ERROR_LIBRARY_NOT_FOUND: "no library libnvidia-ml.so.1; install the NVIDIA driver",
		nvml.ERROR_DRIVER_NOT_LOADED: "installed and not loaded",
		nvml.ERROR_UNKNOWN:           "initialise the NVIDIA driver's library: ",
	} {
		lib := host()
		lib.InitFunc = func() nvml.Return { return ret }
		_, err := open(lib)
		if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %q", ret, err, want)
		}
	}
	r, err := Open() // the real one; most machines have none
	if err != nil {
		if !errors.Is(err, ErrUnavailable) {
			t.Errorf("the real library: %v", err)
		}
		return
	}
	devices, err := r.Devices()
	t.Logf("real devices: %+v, %v", devices, err)
	for _, d := range devices {
		if d.UUID == "" || d.Memory.Total <= 0 || d.Memory.Used+d.Memory.Free+d.Memory.Reserved > d.Memory.Total {
			t.Errorf("a device that cannot be: %+v", d)
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
