// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/replay"
)

// runReplay plays a recorded history through the allocator and prints what it
// took as JSON.
func runReplay(env *environment, args []string) error {
	fs := flag.NewFlagSet("replay", flag.ContinueOnError)
	policy := fs.String("policy", "best", "")
	segments := fs.String("segments", "conf", "")
	conf := fs.String("conf", "", "")
	device := fs.Int("device", 0, "")
	limit := fs.Int64("limit", -1, "")
	target := fs.Float64("target", 0, "")
	out := fs.String("o", "", "")
	if err := parse(fs, args, 1); err != nil {
		return err
	}
	var o replay.Options
	switch *policy {
	case "best":
		o.Policy = gpumem.PolicyBest
	case "pytorch":
		o.Policy = gpumem.PolicyPyTorch
	default:
		return usageError{fmt.Sprintf("no policy %q, want pytorch or best", *policy)}
	}
	switch *segments {
	case "conf":
		o.Segments = replay.SegmentsConf
	case "plain":
		o.Segments = replay.SegmentsPlain
	case "vmm":
		o.Segments = replay.SegmentsVMM
	default:
		return usageError{fmt.Sprintf("no kind of segments %q, want conf, plain or vmm", *segments)}
	}
	if *device < 0 {
		return usageError{fmt.Sprintf("no device %d", *device)}
	}
	o.Conf, o.Target = *conf, *target
	t, err := env.readTrace(fs.Arg(0), *device)
	if err != nil {
		return err
	}
	if *limit >= 0 {
		t.Limit = *limit
	}
	result, err := replay.Run(t, o)
	if err != nil {
		return err
	}
	return env.write(*out, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(result)
	})
}
