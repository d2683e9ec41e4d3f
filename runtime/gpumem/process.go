// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "fmt"

// Process is one process's use of the device.
type Process struct {
	PID  int
	Name string // "" where it is not known, as in another container
	Used int64  // bytes; -1 where it is not known
}

// String is "process 4711 (python3) uses 3.00 GiB".
func (p Process) String() string {
	s := fmt.Sprintf("process %d", p.PID)
	if p.Name != "" {
		s += " (" + p.Name + ")"
	}
	if p.Used < 0 {
		return s + " uses memory, it is not known how much"
	}
	return s + fmt.Sprintf(" uses %v", Bytes(p.Used))
}

// ProcessLister knows which other processes use a device; the report of a
// failed allocation then says so. A driver may implement it, and a program may
// set one, such as that of package nvml, with [Device.SetProcessLister].
type ProcessLister interface {
	// Processes lists them, the largest first. It may take milliseconds.
	Processes() ([]Process, error)
}

// SetProcessLister makes l answer who else uses the device when an allocation
// fails; nil asks the driver again. It may be called at any time.
func (d *Device) SetProcessLister(l ProcessLister) {
	if l == nil {
		d.others.Store(nil)
		return
	}
	d.others.Store(&l)
}

// processes lists who else uses the device, as far as it is known: a report
// must not fail because of it.
func (d *Device) processes() []Process {
	if l := d.others.Load(); l != nil {
		out, _ := (*l).Processes()
		return out
	}
	if l, ok := d.drv.(ProcessLister); ok {
		out, _ := l.Processes()
		return out
	}
	return nil
}
