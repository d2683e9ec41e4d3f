// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/nvml"
)

// mib is the unit of the one-line form, which is gpustat's.
const mib = 1 << 20

// oneLines gives a line a GPU, for scripts and prompts:
//
//	[0] NVIDIA H200 | 41°C,  37 % | 20480 / 143360 MiB | python3/4711(15360M) | train/4711 1024+512M
//
// The last part is a program's allocator: allocated and cached. Devices that
// only a program knows are in lines of their own.
func oneLines(s *moment) string {
	var b strings.Builder
	shown := map[string]bool{}
	write := func(name string, d *nvml.Device) {
		shown[bare(d.UUID)] = true
		state := "-"
		if d.Temperature >= 0 {
			state = fmt.Sprintf("%d°C", d.Temperature)
		}
		if d.Utilization >= 0 {
			state += fmt.Sprintf(", %3d %%", d.Utilization)
		}
		fmt.Fprintf(&b, "[%s] %s | %s | %d / %d MiB |", name, clean(d.Name), state, d.Memory.Used/mib, d.Memory.Total/mib)
		if !d.MIG {
			for _, p := range d.Processes {
				used := "?"
				if p.Used >= 0 {
					used = fmt.Sprint(p.Used / mib)
				}
				fmt.Fprintf(&b, " %s/%d(%sM)", clean(p.Name), p.PID, used)
			}
		}
		b.WriteString(allocators(s, func(uuid string) bool { return bare(uuid) == bare(d.UUID) }))
		b.WriteString("\n")
	}
	for i := range s.Devices {
		d := &s.Devices[i]
		write(fmt.Sprint(d.Index), d)
		for k := range d.Instances {
			write(fmt.Sprintf("%d.%d", d.Index, d.Instances[k].Index), &d.Instances[k])
		}
	}
	for _, p := range s.Programs {
		if p.Error != "" {
			fmt.Fprintf(&b, "[-] %s\n", clean(p.Error))
		}
		if p.Status == nil {
			continue
		}
		for _, d := range p.Status.Devices {
			if !shown[bare(d.UUID)] {
				fmt.Fprintf(&b, "[-] %s | %s/%d %d+%dM\n", clean(d.Name), clean(p.Status.Name), p.Status.PID, d.Allocated/mib, (d.Reserved-d.Allocated)/mib)
			}
		}
	}
	return b.String()
}

// allocators are the programs' views of one device, each after a bar.
func allocators(s *moment, same func(uuid string) bool) string {
	var b strings.Builder
	for _, p := range s.Programs {
		if p.Status == nil {
			continue
		}
		for _, d := range p.Status.Devices {
			if same(d.UUID) {
				fmt.Fprintf(&b, " | %s/%d %d+%dM", clean(p.Status.Name), p.Status.PID, d.Allocated/mib, (d.Reserved-d.Allocated)/mib)
			}
		}
	}
	return b.String()
}
