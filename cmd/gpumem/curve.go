// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"io"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem/replay"
)

// The targets that a curve has dots for.
var (
	plainTargets  = []float64{0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 1}
	mappedTargets = []float64{0.9, 0.95, 0.97, 0.98, 0.99, 1}
)

// runCurve draws what the best policy reserves against the driver calls that
// it makes, for one history or several.
func runCurve(env *environment, args []string) error {
	fs := flag.NewFlagSet("curve", flag.ContinueOnError)
	out := fs.String("o", "", "")
	fs.SetOutput(io.Discard)
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return usageError{err.Error()}
	}
	if fs.NArg() == 0 {
		return usageError{"no history given"}
	}
	panels := []replay.Panel{{Title: "Segments allocated"}, {Title: "Segments mapped"}}
	for _, name := range fs.Args() {
		t, err := env.readTrace(name, 0)
		if err != nil {
			return err
		}
		plain, err := replay.Measure(t, replay.SegmentsPlain, plainTargets)
		if err != nil {
			return err
		}
		mapped, err := replay.Measure(t, replay.SegmentsVMM, mappedTargets)
		if err != nil {
			return err
		}
		panels[0].Series = append(panels[0].Series, plain)
		panels[1].Series = append(panels[1].Series, mapped)
	}
	return env.write(*out, func(w io.Writer) error { return replay.Draw(w, panels) })
}
