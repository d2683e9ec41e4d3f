// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"io"

	"github.com/gpumemlint/gpumemlint/runtime/profile"
)

// runDiff compares two snapshots by call site. With -exit-code the status is 3
// if any site holds more blocks or bytes than before, for scripts.
func runDiff(env *environment, args []string) error {
	fs := flag.NewFlagSet("diff", flag.ContinueOnError)
	format := fs.String("format", "text", "")
	out := fs.String("o", "", "")
	exitCode := fs.Bool("exit-code", false, "")
	if err := parse(fs, args, 2); err != nil {
		return err
	}
	if *format != "text" && *format != "json" {
		return usageError{fmt.Sprintf("format %q is not text or json", *format)}
	}
	before, err := env.readSnapshot(fs.Arg(0))
	if err != nil {
		return err
	}
	after, err := env.readSnapshot(fs.Arg(1))
	if err != nil {
		return err
	}
	d := profile.NewDiff(before, after)
	err = env.write(*out, func(w io.Writer) error {
		if *format == "json" {
			return writeJSON(w, struct {
				Version int `json:"version"`
				*profile.Diff
			}{1, d})
		}
		return d.WriteText(w)
	})
	if err != nil || !*exitCode {
		return err
	}
	for i := range d.Sites {
		if d.Sites[i].Bytes() > 0 || d.Sites[i].Count() > 0 {
			return statusError(exitGrown)
		}
	}
	return nil
}
