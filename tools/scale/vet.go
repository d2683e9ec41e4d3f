// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gpumemlint/gpumemlint/tools/nogo"
)

// vet measures go vet by the CPU time of the go command and all that it
// starts: on a machine that has nothing, on one that gets the other's cache,
// and on machines that each have a share of the packages and no cache.
func vet(ctx context.Context, root, temp, dir string, env []string, packages []*nogo.Package, shares int) error {
	linter := filepath.Join(temp, "gpumemlint")
	if _, err := output(ctx, root, append(env, "CGO_ENABLED=0", "GOFLAGS="), "go", "build", "-o", linter, "./cmd/gpumemlint"); err != nil {
		return err
	}
	all := users(packages)
	cache := filepath.Join(temp, "cache")
	cold, err := vetTime(ctx, linter, dir, append(env, "GOCACHE="+cache), all)
	if err != nil {
		return err
	}
	warm, err := vetTime(ctx, linter, dir, append(env, "GOCACHE="+cache), all)
	if err != nil {
		return err
	}
	fmt.Printf("go vet: %v of CPU time with an empty build cache, %v with one that another machine has filled\n", round(cold), round(warm))
	if shares < 1 {
		return nil
	}
	var longest, sum time.Duration
	for i := range shares {
		var list []string
		for j := i; j < len(all); j += shares {
			list = append(list, all[j])
		}
		d, err := vetTime(ctx, linter, dir, append(env, "GOCACHE="+filepath.Join(temp, fmt.Sprint("cache", i))), list)
		if err != nil {
			return err
		}
		longest, sum = max(longest, d), sum+d
	}
	fmt.Printf("go vet in %d shares without a shared cache: %v of CPU time on the slowest machine, %v on all\n", shares, round(longest), round(sum))
	return nil
}

// vetTime is the CPU time of go vet on packages. Findings are no error.
func vetTime(ctx context.Context, linter, dir string, env, packages []string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"vet", "-json", "-vettool=" + linter}, packages...)...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "scale: go vet left something out: %s\n", bytes.SplitN(stderr.Bytes(), []byte("\n"), 2)[0])
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

func output(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %v: %w\n%s", name, args, err, stderr.Bytes())
	}
	return out, nil
}
