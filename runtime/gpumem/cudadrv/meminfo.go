// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package cudadrv

import (
	"os"
	"strconv"
	"strings"
)

// hostMemory gives the host's available and total memory in bytes, 0 where the
// system does not say, as elsewhere than on Linux.
func hostMemory() (free, total int64) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, 0
	}
	return parseMeminfo(string(text))
}

// parseMeminfo reads lines such as "MemTotal:  24529852 kB".
func parseMeminfo(text string) (free, total int64) {
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(line, ":")
		fields := strings.Fields(rest)
		if len(fields) != 2 || fields[1] != "kB" {
			continue
		}
		kib, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "MemAvailable":
			free = kib << 10
		case "MemTotal":
			total = kib << 10
		}
	}
	return free, total
}
