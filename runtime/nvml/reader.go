// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package nvml

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Reader asks the driver. Its methods may be called from any goroutine; each
// takes some milliseconds for a process and a device.
type Reader struct {
	lib    nvml.Interface
	split  bool // the driver tells what it reserves from what is used
	mu     sync.RWMutex
	closed bool
}

// Open loads the driver's library, libnvidia-ml.so.1, from where the system has
// it. The error matches ErrUnavailable where that cannot be.
func Open() (*Reader, error) { return open(nvml.New()) }

func open(lib nvml.Interface) (*Reader, error) {
	switch ret := lib.Init(); ret {
	case nvml.SUCCESS:
	case nvml.ERROR_LIBRARY_NOT_FOUND:
		return nil, fmt.Errorf("%w: no library libnvidia-ml.so.1; install the NVIDIA driver, or run where a GPU is", ErrUnavailable)
	case nvml.ERROR_DRIVER_NOT_LOADED:
		return nil, fmt.Errorf("%w: the NVIDIA driver is installed and not loaded; is there a GPU, and is it visible here?", ErrUnavailable)
	default:
		return nil, fmt.Errorf("%w: initialise the NVIDIA driver's library: %s", ErrUnavailable, text(ret))
	}
	// Calling a function that the library does not have would end the process.
	return &Reader{lib: lib, split: lib.Extensions().LookupSymbol("nvmlDeviceGetMemoryInfo_v2") == nil}, nil
}

// text is the driver's word for a status, on one line and lower case.
func text(ret nvml.Return) string {
	return strings.ToLower(strings.TrimSuffix(strings.Join(strings.Fields(ret.Error()), " "), "."))
}

func failure(call string, ret nvml.Return) error {
	return fmt.Errorf("NVML: %s: %s", call, text(ret))
}

// Close gives the library up.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return fmt.Errorf("close NVML reader: %w", gpumem.ErrClosed)
	}
	r.closed = true
	if ret := r.lib.Shutdown(); ret != nvml.SUCCESS {
		return failure("shut down", ret)
	}
	return nil
}

// Driver is the version of the driver, such as "580.95.05", "" where it does
// not say.
func (r *Reader) Driver() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return ""
	}
	version, ret := r.lib.SystemGetDriverVersion()
	if ret != nvml.SUCCESS {
		return ""
	}
	return version
}

// Devices reads all GPUs, in the driver's order. A GPU that is lost while it
// is read is left out.
func (r *Reader) Devices() ([]Device, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return nil, fmt.Errorf("NVML reader: %w", gpumem.ErrClosed)
	}
	n, ret := r.lib.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return nil, failure("count the devices", ret)
	}
	out := make([]Device, 0, n)
	var lost error
	for i := range n {
		handle, ret := r.lib.DeviceGetHandleByIndex(i)
		if ret != nvml.SUCCESS {
			lost = errors.Join(lost, failure(fmt.Sprintf("open device %d", i), ret))
			continue
		}
		d, err := r.read(handle)
		if err != nil {
			lost = errors.Join(lost, fmt.Errorf("device %d: %w", i, err))
			continue
		}
		d.Index = i
		out = append(out, d)
	}
	if len(out) == 0 && lost != nil {
		return nil, lost // none can be read: that is no machine without GPUs
	}
	return out, nil
}

// Device reads one GPU, or one part of a GPU, by its UUID.
func (r *Reader) Device(uuid string) (Device, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return Device{}, fmt.Errorf("NVML reader: %w", gpumem.ErrClosed)
	}
	last := nvml.ERROR_NOT_FOUND
	for _, name := range spellings(uuid) {
		handle, ret := r.lib.DeviceGetHandleByUUID(name)
		if ret != nvml.SUCCESS {
			last = ret
			continue
		}
		return r.read(handle)
	}
	return Device{}, failure("find device "+uuid, last)
}

// read asks for everything that a device has. What a device does not offer is
// left at "not known": a MIG instance has no utilisation, some boards have no
// sensor.
func (r *Reader) read(h nvml.Device) (Device, error) {
	d, err := r.identify(h)
	if err != nil {
		return Device{}, err
	}
	d.Processes = r.processes(h)
	current, _, ret := h.GetMigMode()
	if ret != nvml.SUCCESS || current != nvml.DEVICE_MIG_ENABLE {
		return d, nil
	}
	d.MIG = true
	most, ret := h.GetMaxMigDeviceCount()
	if ret != nvml.SUCCESS {
		return d, nil
	}
	for i := range most {
		part, ret := h.GetMigDeviceHandleByIndex(i)
		if ret != nvml.SUCCESS {
			continue // the place is empty
		}
		instance, err := r.identify(part)
		if err != nil {
			continue // taken away meanwhile
		}
		instance.Index = i
		instance.Processes = r.processes(part)
		d.Instances = append(d.Instances, instance)
	}
	return d, nil
}

func (r *Reader) identify(h nvml.Device) (Device, error) {
	d := Device{Utilization: -1, Temperature: -1, Processes: []Process{}}
	var ret nvml.Return
	if d.UUID, ret = h.GetUUID(); ret != nvml.SUCCESS {
		return d, failure("read the UUID", ret)
	}
	if d.Name, ret = h.GetName(); ret != nvml.SUCCESS {
		d.Name = "unknown GPU"
	}
	if d.Memory, ret = r.memory(h); ret != nvml.SUCCESS {
		return d, failure("read the memory of "+d.UUID, ret)
	}
	if pci, ret := h.GetPciInfo(); ret == nvml.SUCCESS {
		d.BusID = busID(pci)
	}
	if u, ret := h.GetUtilizationRates(); ret == nvml.SUCCESS {
		d.Utilization = int(u.Gpu)
	}
	if c, ret := h.GetTemperature(nvml.TEMPERATURE_GPU); ret == nvml.SUCCESS {
		d.Temperature = int(c)
	}
	return d, nil
}

// busID reads the zero-terminated text.
func busID(pci nvml.PciInfo) string {
	var b []byte
	for _, c := range pci.BusId {
		if c == 0 {
			break
		}
		b = append(b, byte(c))
	}
	return string(b)
}

func (r *Reader) memory(h nvml.Device) (Memory, nvml.Return) {
	if r.split {
		if m, ret := h.GetMemoryInfo_v2(); ret == nvml.SUCCESS {
			return Memory{Total: int64(m.Total), Reserved: int64(m.Reserved), Used: int64(m.Used), Free: int64(m.Free)}, ret
		}
	}
	m, ret := h.GetMemoryInfo()
	return Memory{Total: int64(m.Total), Used: int64(m.Used), Free: int64(m.Free)}, ret
}

// processes lists who uses a device, the largest first. A process that both
// computes and draws is in both of the driver's lists, with the same number.
func (r *Reader) processes(h nvml.Device) []Process {
	byPID := map[int]Process{}
	for _, list := range [...]func() ([]nvml.ProcessInfo, nvml.Return){h.GetComputeRunningProcesses, h.GetGraphicsRunningProcesses} {
		infos, ret := list()
		if ret != nvml.SUCCESS {
			continue // not offered, or not to this user
		}
		seen := map[int]bool{}
		for _, info := range infos {
			p := Process{PID: int(info.Pid), Used: -1}
			if info.UsedGpuMemory <= math.MaxInt64 { // else not available
				p.Used = int64(info.UsedGpuMemory)
			}
			old, ok := byPID[p.PID]
			switch {
			case !ok:
				p.Name = r.processName(p.PID)
			case seen[p.PID]: // another instance of the same GPU
				p.Name, p.Used = old.Name, addKnown(old.Used, p.Used)
			default:
				p.Name, p.Used = old.Name, max(old.Used, p.Used)
			}
			seen[p.PID] = true
			byPID[p.PID] = p
		}
	}
	out := make([]Process, 0, len(byPID))
	for _, p := range byPID {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Process) int { return cmp.Or(cmp.Compare(b.Used, a.Used), cmp.Compare(a.PID, b.PID)) })
	return out
}

// addKnown adds two numbers of which either may be unknown.
func addKnown(a, b int64) int64 {
	if a < 0 || b < 0 {
		return max(a, b)
	}
	return a + b
}

// processName asks the driver, and then the system, which knows only processes
// of its own container.
func (r *Reader) processName(pid int) string {
	if name, ret := r.lib.SystemGetProcessName(pid); ret == nvml.SUCCESS && name != "" {
		return baseName(name)
	}
	comm, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(comm))
}

// baseName is the program's name without its folder and arguments.
func baseName(command string) string {
	first, _, _ := strings.Cut(command, " ")
	return filepath.Base(first)
}
