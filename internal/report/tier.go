// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package report

import "fmt"

// A Tier says how sure the analysis is of a finding. Higher is surer.
type Tier uint8

// The tiers. Findings that are only possible are not shown by default.
const (
	Possible Tier = iota // the path exists, but part of the code could not be followed
	Likely               // every step was followed; a condition could still exclude the path
	Definite             // every run through that path loses the resource
)

// String returns the tier's name as flags and JSON spell it.
func (t Tier) String() string {
	switch t {
	case Possible:
		return "possible"
	case Likely:
		return "likely"
	case Definite:
		return "definite"
	}
	return fmt.Sprintf("tier(%d)", uint8(t))
}

// ParseTier is the inverse of Tier.String.
func ParseTier(name string) (Tier, error) {
	for t := Possible; t <= Definite; t++ {
		if t.String() == name {
			return t, nil
		}
	}
	return 0, fmt.Errorf("unknown tier %q: want definite, likely or possible", name)
}
