// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"time"
)

// bench holds what the parts share.
type bench struct {
	ctx    context.Context
	rounds int
	work   string

	linter, noop string // the two vet tools
}

// A cost is what one run took.
type cost struct {
	wall, cpu time.Duration
}

// build makes both tools, the way a release does.
func (b *bench) build() error {
	b.linter = filepath.Join(b.work, "gpumemlint")
	b.noop = filepath.Join(b.work, "noop")
	for _, tool := range []struct{ dir, pkg, out string }{
		{"..", "./cmd/gpumemlint", b.linter},
		{".", "./bench/noop", b.noop},
	} {
		cmd := exec.CommandContext(b.ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", tool.out, tool.pkg)
		cmd.Dir = tool.dir
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %v\n%s", tool.pkg, err, out)
		}
	}
	return nil
}

// module gives a writable copy of a module, where it is the main module.
func (b *bench) module(path, version string) (string, error) {
	cmd := exec.CommandContext(b.ctx, "go", "mod", "download", "-json", path+"@"+version)
	cmd.Dir = b.work
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("download %s@%s: %v", path, version, err)
	}
	var mod struct{ Dir string }
	if err := json.Unmarshal(out, &mod); err != nil {
		return "", fmt.Errorf("download %s@%s: %v", path, version, err)
	}
	dir := filepath.Join(b.work, "src", filepath.Base(path)+"@"+version)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil // kept by -work
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", err
	}
	return dir, b.copyTree(mod.Dir, dir)
}

// copyTree copies a folder and makes the copy writable.
func (b *bench) copyTree(from, to string) error {
	for _, args := range [][]string{{"cp", "-r", from, to}, {"chmod", "-R", "u+w", to}} {
		if out, err := exec.CommandContext(b.ctx, args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("copy %s: %v: %s", from, err, out)
		}
	}
	return nil
}

// time runs a command in dir with its own GOCACHE. Exit statuses of findings
// are no failure: 1 from go vet, 3 from gpumemlint.
func (b *bench) time(dir, cache string, args ...string) (cost, []byte, error) {
	cmd := exec.CommandContext(b.ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOCACHE="+cache, "GOFLAGS=-mod=mod", "GOWORK=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 3) {
		err = nil
	}
	if err != nil {
		return cost{}, nil, fmt.Errorf("%v: %v\n%s", args, err, stderr.Bytes())
	}
	return cost{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, stdout.Bytes(), nil
}

// median of both columns, each by itself.
func median(costs []cost) cost {
	walls := make([]time.Duration, len(costs))
	cpus := make([]time.Duration, len(costs))
	for i, c := range costs {
		walls[i], cpus[i] = c.wall, c.cpu
	}
	return cost{middle(walls), middle(cpus)}
}

func middle(times []time.Duration) time.Duration {
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	if len(times)%2 == 1 {
		return times[len(times)/2]
	}
	return (times[len(times)/2-1] + times[len(times)/2]) / 2
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func ratio(a, b time.Duration) string { return fmt.Sprintf("%.2f", float64(a)/float64(b)) }
