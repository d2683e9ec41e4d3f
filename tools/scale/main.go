// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command scale measures how the analysis of one large module spreads over
// machines: go run ./scale -module github.com/gomlx/gomlx@v0.26.0
//
// It runs nogo on each package and takes the CPU time of each action. With the
// imports as the order, that tells how long N workers would need: each action
// goes to the worker that is free first, those first that most work waits for.
// What fetching inputs costs is not in it. go vet is measured as it is: alone,
// with a cache that another machine has filled, and in shares that have none.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gpumemlint/gpumemlint"
	"github.com/gpumemlint/gpumemlint/tools/nogo"
)

func main() {
	spec := flag.String("module", "github.com/gomlx/gomlx@v0.26.0", "the module to measure on")
	root := flag.String("root", "..", "the checkout of gpumemlint")
	shares := flag.Int("shares", 0, "also measure go vet on this many shares of the packages, each with an empty cache")
	flag.Parse()
	if err := run(context.Background(), *spec, *root, *shares); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, spec, root string, shares int) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "scale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	dir := filepath.Join(temp, "module")
	if err := fetch(ctx, spec, dir); err != nil {
		return err
	}
	env := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "CGO_ENABLED=1")
	packages, err := nogo.Load(ctx, dir, env, "./...")
	if err != nil {
		return err
	}
	var analyzers []string
	for _, a := range gpumemlint.Analyzers() {
		if a.Name != "ownership" {
			analyzers = append(analyzers, "github.com/gpumemlint/gpumemlint/passes/"+a.Name)
		}
	}
	build := filepath.Join(temp, "nogo")
	if err := os.Mkdir(build, 0o777); err != nil {
		return err
	}
	bin, err := nogo.Build(ctx, build, root, analyzers, nil)
	if err != nil {
		return err
	}
	tasks, facts, err := measure(ctx, bin, temp, packages)
	if err != nil {
		return err
	}
	report(spec, tasks, facts)
	return vet(ctx, root, temp, dir, env, packages, shares)
}

// fetch copies a module out of the module cache, where nothing may be written.
func fetch(ctx context.Context, spec, to string) error {
	out, err := output(ctx, os.TempDir(), append(os.Environ(), "GOWORK=off", "GOFLAGS="), "go", "mod", "download", "-json", spec)
	if err != nil {
		return err
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(m.Dir))
}

// measure runs nogo on every package, one after the other.
func measure(ctx context.Context, bin, temp string, packages []*nogo.Package) (tasks []task, facts int64, err error) {
	dir := filepath.Join(temp, "actions")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, 0, err
	}
	runner := nogo.NewRunner(bin, dir, packages)
	index := map[string]int{}
	for _, p := range packages {
		if p.Standard {
			continue // never analysed
		}
		act, err := runner.Run(ctx, p, p.DepOnly)
		if err != nil {
			return nil, 0, err
		}
		t := task{name: p.ImportPath, cost: act.CPU}
		for _, path := range p.Imports {
			if to, ok := p.ImportMap[path]; ok {
				path = to
			}
			if i, ok := index[path]; ok {
				t.after = append(t.after, i)
			}
		}
		index[p.ImportPath] = len(tasks)
		tasks = append(tasks, t)
		facts += act.Facts
	}
	return tasks, facts, nil
}

func report(spec string, tasks []task, facts int64) {
	var total time.Duration
	for _, t := range tasks {
		total += t.cost
	}
	longest := criticalPath(tasks)
	fmt.Printf("%s: %d actions of nogo, %v of CPU time, %v on the longest chain of imports, %d KiB of facts\n",
		spec, len(tasks), round(total), round(longest), facts>>10)
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "workers\ttime\tspeed-up")
	for _, n := range []int{1, 2, 4, 8, 16, 32, 64} {
		d := makespan(tasks, n)
		fmt.Fprintf(w, "%d\t%v\t%.1f\n", n, round(d), float64(total)/float64(d))
	}
	w.Flush()
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }

// users lists the packages that the patterns named.
func users(packages []*nogo.Package) []string {
	var list []string
	for _, p := range packages {
		if !p.Standard && !p.DepOnly && !strings.Contains(p.ImportPath, " ") {
			list = append(list, p.ImportPath)
		}
	}
	return list
}
