// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
	"github.com/gpumemlint/gpumemlint/runtime/profile/svg"
)

// runReport shows one snapshot.
func runReport(env *environment, args []string) error {
	fs := flag.NewFlagSet("report", flag.ContinueOnError)
	format := fs.String("format", "", "")
	out := fs.String("o", "", "")
	title := fs.String("title", "", "")
	if err := parse(fs, args, 1); err != nil {
		return err
	}
	if *format == "" {
		*format = "text"
		if filepath.Ext(*out) == ".svg" {
			*format = "svg"
		}
	}
	if *format != "text" && *format != "json" && *format != "svg" {
		return usageError{fmt.Sprintf("format %q is not text, json or svg", *format)}
	}
	s, err := env.readSnapshot(fs.Arg(0))
	if err != nil {
		return err
	}
	return env.write(*out, func(w io.Writer) error {
		switch *format {
		case "svg":
			if *title == "" {
				*title = filepath.Base(fs.Arg(0))
			}
			return svg.Write(w, s, *title)
		case "json":
			return writeJSON(w, newReport(s))
		}
		return profile.WriteText(w, s)
	})
}

// report is what -format json prints.
type report struct {
	Version int              `json:"version"`
	Devices []profile.Totals `json:"devices"`
	Sites   []profile.Site   `json:"sites"`
	Dropped int64            `json:"dropped_events"`
}

func newReport(s *memviz.Snapshot) report {
	r := report{Version: 1, Devices: profile.SumDevices(s), Sites: profile.Sites(s), Dropped: s.Settings.Dropped}
	for i := range r.Sites {
		if r.Sites[i].Frames == nil {
			r.Sites[i].Frames = []memviz.Frame{}
		}
	}
	if r.Sites == nil {
		r.Sites = []profile.Site{}
	}
	return r
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
