// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command realworld runs gpumemlint over real modules and writes
// docs/real-world.md: every finding with the judgement of somebody who read
// the code, and the precision counted from them.
//
// Each target is a fixed version of a module, copied out of the module cache
// so that it is a main module with its tests and programs. Nothing of the
// modules gets into this repository but file names and line numbers.
//
//	go run ./realworld                  all targets; rewrites docs/real-world.md
//	go run ./realworld -only hugot      one target; prints its findings
//
// A finding is judged by an entry in realworld/judgements.json. The versions
// are fixed, so an entry names the finding by rule, file and lines.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	only := flag.String("only", "", "run this target alone and print its findings")
	work := flag.String("work", "", "keep the copies of the modules in this `folder` (default: one that is removed)")
	linter := flag.String("gpumemlint", "", "use this `binary` (default: built from the folder above)")
	page := flag.String("o", "../docs/real-world.md", "write the page to this `file`")
	limit := flag.Duration("limit", 20*time.Minute, "give up on a target after this `time`, and say so on the page")
	folder := flag.String("data", "realworld", "read judgements.json and known.json from this `folder`")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only, *work, *linter, *page, *folder, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "realworld:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only, work, linter, page, folder string, limit time.Duration) error {
	judgements, err := readJudgements(filepath.Join(folder, "judgements.json"))
	if err != nil {
		return err
	}
	known, err := readLeaks(filepath.Join(folder, "known.json"))
	if err != nil {
		return err
	}
	if work == "" {
		work, err = os.MkdirTemp("", "realworld-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(work)
	}
	if work, err = filepath.Abs(work); err != nil {
		return err
	}
	if linter == "" {
		linter = filepath.Join(work, "gpumemlint")
		if err := build(ctx, linter); err != nil {
			return err
		}
	}
	if linter, err = filepath.Abs(linter); err != nil {
		return err
	}

	var results []result
	for _, target := range targets() {
		if only != "" && target.Name != only {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s %s\n", target.Name, target.Version)
		res := lintWithin(ctx, limit, linter, work, target)
		res.judge(judgements)
		for _, finding := range res.Findings {
			if only != "" || finding.Verdict == "" {
				fmt.Println(finding)
			}
		}
		if res.Err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", target.Name, res.Err)
		}
		results = append(results, res)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if len(results) == 0 {
		return fmt.Errorf("no target is named %q; targets.go has the names", only)
	}
	for _, l := range known {
		if tier := l.tierOf(results); tier == "missed" && (only == "" || only == l.Target) {
			fmt.Fprintf(os.Stderr, "known and missed: %s\n", l)
		}
	}
	if only != "" {
		return nil
	}
	for _, stale := range judgements.stale(results) {
		fmt.Fprintf(os.Stderr, "judged but no longer found: %s\n", stale)
	}
	return os.WriteFile(page, []byte(render(results, known)), 0o666)
}

// build makes the linter from the folder above tools/.
func build(ctx context.Context, binary string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/gpumemlint")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build gpumemlint: %v\n%s", err, out)
	}
	return nil
}
