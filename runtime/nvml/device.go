// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package nvml

import (
	"errors"
	"os"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// ErrUnavailable is matched by the errors of Open: there is no driver, or this
// build cannot reach it.
var ErrUnavailable = errors.New("NVML is not available")

// Device is what the driver says of a GPU, or of a part of one. Sizes are bytes.
type Device struct {
	Index int    `json:"index"` // NVML's, which need not be CUDA's
	UUID  string `json:"uuid"`
	Name  string `json:"name"`
	BusID string `json:"bus_id,omitempty"`

	Memory      Memory `json:"memory"`
	Utilization int    `json:"utilization"` // percent of the time that a kernel ran; -1 where it is not known
	Temperature int    `json:"temperature"` // degrees Celsius; -1 where it is not known

	// MIG says that the GPU is cut into parts. Then Instances are those, and
	// the processes are theirs.
	MIG       bool      `json:"mig"`
	Instances []Device  `json:"instances,omitempty"`
	Processes []Process `json:"processes"`
}

// Memory is a device's memory in bytes. What the driver reserves for itself is
// not used; older drivers do not tell the two apart, and Reserved is 0 there.
type Memory struct {
	Total    int64 `json:"total"`
	Reserved int64 `json:"reserved"`
	Used     int64 `json:"used"`
	Free     int64 `json:"free"`
}

// Process is one that uses a device. In a container the numbers are those of
// the host, and names may be missing.
type Process struct {
	PID  int    `json:"pid"`
	Name string `json:"name,omitempty"`
	Used int64  `json:"used"` // bytes; -1 where the driver does not say
}

// lister answers who else uses a device when an allocation fails.
type lister struct {
	r    *Reader
	uuid string
}

// Processes lists the others, the largest first.
func (l lister) Processes() ([]gpumem.Process, error) {
	d, err := l.r.Device(l.uuid)
	if err != nil {
		return nil, err
	}
	var out []gpumem.Process
	for _, p := range d.Processes {
		if p.PID != os.Getpid() {
			out = append(out, gpumem.Process{PID: p.PID, Name: p.Name, Used: p.Used})
		}
	}
	return out, nil
}

// Attach makes the reports of failed allocations on d name the other processes
// that use the GPU. The reader must stay open as long as d is.
func (r *Reader) Attach(d *gpumem.Device) {
	d.SetProcessLister(lister{r, d.Info().UUID})
}

// Usage gives a device's memory, what all processes use of it, and what this
// one uses, in bytes, -1 where the driver does not name this process, as in
// most containers. It is what metrics.WithView wants.
func (r *Reader) Usage(uuid string) (total, used, process int64, err error) {
	d, err := r.Device(uuid)
	if err != nil {
		return 0, 0, -1, err
	}
	process = -1
	for _, p := range d.Processes {
		if p.PID == os.Getpid() {
			process = p.Used
		}
	}
	return d.Memory.Total, d.Memory.Used, process, nil
}

// prefixes are what NVML writes before the UUID of a GPU and of a part of one.
// CUDA gives the bytes alone, so a reader of CUDA's cannot know which it is.
var prefixes = [...]string{"GPU-", "MIG-"}

// spellings gives the names under which NVML may know a device.
func spellings(uuid string) []string {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(uuid, p); ok {
			return []string{uuid, prefixes[0] + rest, prefixes[1] + rest}
		}
	}
	return []string{prefixes[0] + uuid, prefixes[1] + uuid}
}
