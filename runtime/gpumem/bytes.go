// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "fmt"

// Bytes is a number of bytes that prints with a binary unit.
type Bytes int64

// String gives the size as "381.47 MiB"; below 1 KiB as "12 B".
func (b Bytes) String() string {
	units := [...]string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	v, sign := float64(b), ""
	if v < 0 {
		v, sign = -v, "-"
	}
	if v < 1024 {
		return fmt.Sprintf("%d B", int64(b))
	}
	i := -1
	for v >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	return fmt.Sprintf("%s%.2f %s", sign, v, units[i])
}
