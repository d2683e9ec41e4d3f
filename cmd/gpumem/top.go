// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/status"
)

// topFlags are the command line of top.
type topFlags struct {
	interval time.Duration
	count    int // samples; 0 is no end
	json     bool
	line     bool
	color    string
	sites    int
	programs []string // addresses
}

// runTop shows the driver's view and that of programs' allocators, once a
// second on a terminal, and once otherwise.
func runTop(env *environment, args []string) error {
	f, err := parseTop(args)
	if err != nil {
		return err
	}
	w := newWatch(f.programs, f.sites)
	if drv, err := env.openDriver(); err != nil {
		if len(f.programs) == 0 {
			return fmt.Errorf("%w; the address of a program that calls metrics.Register shows its allocator alone", err)
		}
		w.driverErr = err
	} else {
		w.drv = drv
		defer drv.Close() // nothing was written through it
	}
	screen := openScreen(env, f)
	defer screen.close()
	ctx, cancel := context.WithCancel(env.ctx)
	defer cancel()
	if f.count == 0 && !screen.live {
		f.count = 1
	}
	screen.onQuit(cancel)
	tick := time.NewTicker(f.interval)
	defer tick.Stop()
	for n := 1; ; n++ {
		s := w.sample(ctx, f.interval)
		if ctx.Err() != nil {
			return nil // told to stop
		}
		if err := f.show(screen, s); err != nil {
			return err
		}
		if n == f.count {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func parseTop(args []string) (*topFlags, error) {
	f := &topFlags{}
	fs := flag.NewFlagSet("top", flag.ContinueOnError)
	fs.DurationVar(&f.interval, "interval", time.Second, "")
	fs.IntVar(&f.count, "n", 0, "")
	fs.BoolVar(&f.json, "json", false, "")
	fs.BoolVar(&f.line, "line", false, "")
	fs.StringVar(&f.color, "color", "auto", "")
	fs.IntVar(&f.sites, "sites", 10, "")
	if err := parse(fs, args, -1); err != nil {
		return nil, err
	}
	switch {
	case f.interval < 100*time.Millisecond:
		return nil, usageError{fmt.Sprintf("interval %v is shorter than 100ms", f.interval)}
	case f.count < 0 || f.sites < 0:
		return nil, usageError{"-n and -sites are not negative"}
	case f.json && f.line:
		return nil, usageError{"-json and -line are one form each; ask for one"}
	case f.color != "auto" && f.color != "always" && f.color != "never":
		return nil, usageError{fmt.Sprintf("color %q is not auto, always or never", f.color)}
	}
	for _, text := range fs.Args() {
		address, err := status.URL(text)
		if err != nil {
			return nil, usageError{err.Error()}
		}
		f.programs = append(f.programs, address)
	}
	return f, nil
}

// show writes one moment in the form that was asked for.
func (f *topFlags) show(screen *screen, s *moment) error {
	switch {
	case f.json:
		data, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return screen.print(string(data) + "\n")
	case f.line:
		return screen.print(oneLines(s))
	}
	return screen.draw(s)
}
