// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/govet"
)

// printEnv prints what makes other tools read code whose C is not installed here: a
// few lines of shell that put our stand-ins into the environment of the go
// command. go vet, golangci-lint and gopls all ask it.
func printEnv(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f, err := parseLintFlags(args)
	if err != nil {
		return err
	}
	opts, err := vetOptions(f)
	if err != nil {
		return err
	}
	if _, err := exec.LookPath("go"); err != nil {
		return govet.ErrNoGo
	}
	res, plan, notes, err := analyseWithPlan(ctx, opts)
	if err != nil {
		return err
	}
	flags, vars, err := plan.Apply(ctx, []string{})
	if err != nil {
		return err
	}
	if len(flags) > 0 {
		old, err := exec.CommandContext(ctx, "go", "env", "GOFLAGS").Output()
		if err != nil {
			return fmt.Errorf("go env: %w", err)
		}
		for i, flag := range flags {
			if strings.Contains(flag, " ") {
				flags[i] = `"` + flag + `"` // the go command splits the variable at blanks
			}
		}
		vars = append(vars, strings.TrimSpace("GOFLAGS="+strings.Join(slices.Concat(strings.Fields(string(old)), flags), " ")))
	}
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(stdout, "export %s=%s\n", name, shellQuote(value))
	}
	printLines(stderr, notes)
	printLines(stderr, failureLines(res.Failures))
	return nil // what other tools cannot read either is theirs to tell
}

// shellQuote returns s as one word of a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
