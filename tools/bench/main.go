// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command bench measures what gpumemlint costs, and writes
// docs/performance-linter.md. Everything that is compared is measured in the
// same run, in turn, several times; the medians are compared.
//
//	go run ./bench             everything, about a quarter of an hour
//	go run ./bench -rounds 1   a quick look
//
// It measures four things: a cold run on a module that touches no GPU library
// against a vet tool that does nothing; the analysis of hugot against one SSA
// build of the same packages; warm runs against go vet; and whether five runs
// give the same bytes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	only := flag.String("part", "", "measure only this `part` (cold, analysis, warm or identical) and write no page")
	rounds := flag.Int("rounds", 5, "how often each thing is measured")
	work := flag.String("work", "", "keep the copies of the modules and the caches in this `folder` (default: one that is removed)")
	page := flag.String("o", "../docs/performance-linter.md", "write the page to this `file`")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only, *rounds, *work, *page); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, rounds int, work, page string) error {
	if rounds < 1 {
		return fmt.Errorf("-rounds %d: at least one round is needed", rounds)
	}
	if work == "" {
		dir, err := os.MkdirTemp("", "bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		work = dir
	}
	work, err := filepath.Abs(work)
	if err != nil {
		return err
	}
	b := &bench{ctx: ctx, rounds: rounds, work: work}
	if err := b.build(); err != nil {
		return err
	}

	var text strings.Builder
	version, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return fmt.Errorf("go env GOVERSION: %v", err)
	}
	fmt.Fprintf(&text, `# What the linter costs

Made by %s; the figures are those of one machine (%s/%s, %d cores, %s) and are there to be compared with each
other, not with those of another page. Each line is the median of %d rounds, measured in turn. "CPU" is user and system time of all processes.

`, "`cd tools && go run ./bench`", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), strings.TrimSpace(string(version)), rounds)

	parts := []struct {
		name string
		run  func(*strings.Builder) error
	}{{"cold", b.cold}, {"analysis", b.analysis}, {"warm", b.warm}, {"identical", b.identical}}
	found := false
	for _, part := range parts {
		if only != "" && only != part.name {
			continue
		}
		found = true
		done := text.Len()
		if err := part.run(&text); err != nil {
			return err
		}
		fmt.Print(text.String()[done:]) // a part takes minutes: show it when it is there
	}
	if !found {
		return fmt.Errorf("-part %s: there are cold, analysis, warm and identical", only)
	}
	if only != "" {
		return nil
	}
	return os.WriteFile(page, []byte(text.String()), 0o666)
}
