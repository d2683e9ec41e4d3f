// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/internal/report"
)

// isVetCall reports whether the go command is calling: it asks for the
// version, for the flags, or hands over the description of one package.
func isVetCall(args []string) bool {
	for _, a := range args {
		if a == "-V=full" || a == "-flags" {
			return true
		}
	}
	return len(args) > 0 && strings.HasSuffix(args[len(args)-1], ".cfg")
}

// vetMain serves the go command and ends the process.
func vetMain(analyzers []*analysis.Analyzer) {
	args := os.Args[1:]
	if cfg := args[len(args)-1]; strings.HasSuffix(cfg, ".cfg") && skipped(cfg, args) {
		os.Exit(exitClean)
	}
	if err := checkVetFlags(args); err != nil {
		fmt.Fprintf(os.Stderr, "gpumemlint: %v\n", err)
		os.Exit(exitFailed)
	}
	// The same flags under their short names, since "go vet -tier=possible"
	// is what people type and not "go vet -ownership.tier=possible".
	report.RegisterFlags(flag.CommandLine)
	switch {
	case onlyImported(args[len(args)-1]):
		// Nobody sees what is found in it, nor fixes.
		os.Args = slices.DeleteFunc(slices.Clone(os.Args), func(a string) bool { return a == "-fixes" || a == "-fixes=true" })
	case slices.Contains(args, "-fix"):
		// go vet -fix and -diff: the only ways in which it has use for fixes.
		s := report.Current()
		s.Fixes = true
		report.Configure(s)
	}
	for _, a := range analyzers {
		if f := a.Flags.Lookup("models"); f != nil && flag.Lookup("models") == nil {
			flag.Var(f.Value, f.Name, f.Usage)
		}
		guard(a)
	}
	unitchecker.Main(analyzers...)
}

// checkVetFlags finds mistakes in our own flags before package flag does,
// which would print all of its flags for every package.
func checkVetFlags(args []string) error {
	for _, a := range args {
		name, value, ok := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if !ok || !strings.HasPrefix(a, "-") {
			continue
		}
		switch name {
		case "tier":
			if _, err := report.ParseTier(value); err != nil {
				return fmt.Errorf("-tier: %w", err)
			}
		case "rules":
			if _, err := parseRules(value); err != nil {
				return fmt.Errorf("-rules: %w", err)
			}
		case "models":
			if err := ownership.CheckModels(value); err != nil {
				return fmt.Errorf("-models: %w", stubErrors(err))
			}
		}
	}
	return nil
}

// guard makes a panic of the analyzer an error of one line. unitchecker
// would let it end the process with a dump of all goroutines.
func guard(a *analysis.Analyzer) {
	inner := a.Run
	a.Run = func(pass *analysis.Pass) (result any, err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("internal error in %s at %s: %s; please report it with the package's source",
					a.Name, panicSite(), strings.Join(strings.Fields(fmt.Sprint(r)), " "))
			}
		}()
		return inner(pass)
	}
}

// panicSite returns the file and line of the frame that panicked. It must be
// called by the deferred function itself.
func panicSite() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "unknown place"
		}
	}
}
