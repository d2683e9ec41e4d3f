// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package json prints a report as one JSON object, indented, with its fields
// in a fixed order. The schema is documented in docs/drivers.md; other tools
// of this repository read it back with Read.
package json

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/gpumemlint/gpumemlint/internal/output"
)

// Write prints the report to w.
func Write(w io.Writer, r *output.Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("cannot write JSON: %w", err)
	}
	return nil
}

// Read is the inverse of Write. It refuses a version that it does not know.
func Read(rd io.Reader) (*output.Report, error) {
	r := new(output.Report)
	if err := json.NewDecoder(rd).Decode(r); err != nil {
		return nil, fmt.Errorf("not a gpumemlint JSON report: %w", err)
	}
	if r.Version != output.Version {
		return nil, fmt.Errorf("JSON report of version %d, but this gpumemlint reads version %d", r.Version, output.Version)
	}
	return r, nil
}
