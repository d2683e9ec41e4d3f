// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
	"github.com/gpumemlint/gpumemlint/runtime/profile/rmm"
	"github.com/gpumemlint/gpumemlint/runtime/profile/svg"
)

// conversion is a format that convert writes.
type conversion struct {
	name     string
	suffixes []string // of file names that mean it
	write    func(w io.Writer, s *memviz.Snapshot, device int) error
}

func conversions() []conversion {
	return []conversion{
		{"json", []string{".json"}, func(w io.Writer, s *memviz.Snapshot, _ int) error { return s.WriteJSON(w) }},
		{"pickle", []string{".pickle", ".pkl"}, func(w io.Writer, s *memviz.Snapshot, _ int) error { return s.WritePickle(w) }},
		{"pprof", []string{".pb.gz", ".pprof"}, func(w io.Writer, s *memviz.Snapshot, _ int) error { return profile.WriteProfile(w, s) }},
		{"trace", []string{".trace", ".trace.json"}, func(w io.Writer, s *memviz.Snapshot, _ int) error { return profile.WriteTrace(w, s) }},
		{"rmm", []string{".csv"}, func(w io.Writer, s *memviz.Snapshot, device int) error {
			return rmm.Write(w, rmm.FromEntries(profile.Entries(s, device)))
		}},
		{"flame", []string{".folded"}, func(w io.Writer, s *memviz.Snapshot, _ int) error { return profile.WriteFlame(w, s) }},
		{"svg", []string{".svg"}, func(w io.Writer, s *memviz.Snapshot, _ int) error { return svg.Write(w, s, "GPU memory") }},
	}
}

// runConvert writes a snapshot in another format, which the output's name
// decides unless -to does.
func runConvert(env *environment, args []string) error {
	fs := flag.NewFlagSet("convert", flag.ContinueOnError)
	to := fs.String("to", "", "")
	out := fs.String("o", "", "")
	device := fs.Int("device", 0, "")
	if err := parse(fs, args, 1); err != nil {
		return err
	}
	c, err := chooseConversion(*to, *out)
	if err != nil {
		return err
	}
	s, err := env.readSnapshot(fs.Arg(0))
	if err != nil {
		return err
	}
	return env.write(*out, func(w io.Writer) error { return c.write(w, s, *device) })
}

func chooseConversion(to, out string) (*conversion, error) {
	var best *conversion
	longest := 0
	var names []string
	all := conversions()
	for i := range all {
		c := &all[i]
		names = append(names, c.name)
		if to == c.name {
			return c, nil
		}
		for _, suffix := range c.suffixes {
			if to == "" && strings.HasSuffix(out, suffix) && len(suffix) > longest {
				best, longest = c, len(suffix) // x.trace.json is a trace
			}
		}
	}
	if best != nil {
		return best, nil
	}
	slices.Sort(names)
	if to != "" {
		return nil, usageError{fmt.Sprintf("format %q is none of %s", to, strings.Join(names, ", "))}
	}
	return nil, usageError{"-to or the suffix of -o has to say the format: " + strings.Join(names, ", ")}
}
