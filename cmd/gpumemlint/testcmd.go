// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/baseline"
	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/output/text"
	"github.com/gpumemlint/gpumemlint/internal/proof"
	"github.com/gpumemlint/gpumemlint/internal/prover"
	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/internal/suppress"
	"github.com/gpumemlint/gpumemlint/rules"
)

// testCommand lints packages, runs their tests with the modelled libraries
// under watch, and prints each finding with what the runs say of it.
func testCommand(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 1 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		return help(ctx, nil, stdout, stderr)
	}
	f, err := parseTestFlags(args)
	if err != nil {
		return err
	}
	known, err := f.readBaseline()
	if err != nil {
		return err
	}
	if err := f.checkOutput(); err != nil {
		return err
	}
	opts, err := vetOptions(&f.lintFlags)
	if err != nil {
		return err
	}
	opts.BuildFlags = append(opts.BuildFlags, f.buildFlags()...)
	env, err := goEnv(ctx)
	if err != nil {
		return err
	}
	models, err := modelSet(f.models)
	if err != nil {
		return err
	}
	paths := env.paths()

	stopProgress := startProgress(ctx, stderr, &opts)
	res, notes, runErr := analyse(ctx, opts)
	stopProgress()
	interrupted := errors.Is(runErr, context.Canceled)
	if runErr != nil && !interrupted {
		return runErr
	}
	all, degraded, bad, err := collect(&f.lintFlags, paths, res.Diagnostics)
	if err != nil {
		return err
	}
	failures := failureLines(append(res.Failures, bad...))
	told := map[string]bool{}
	for _, x := range res.Failures {
		told[x.Package] = true
	}
	claims := f.claims(all)

	out := &prover.Outcome{Proofs: make([]*output.Proof, len(claims))}
	if !interrupted {
		show := startStages(ctx, stderr)
		out, runErr = prover.Prove(ctx, prover.Plan{
			Patterns: f.patterns, Models: models, Claims: claims, Flags: f.goTest, Timeout: f.timeout, Jobs: f.jobs,
			Root: env.GOROOT, Progress: show.update, Told: told,
			Options: proof.Options{
				Ours: ours(ctx, env), Rel: paths.Rel, Silenced: silenced(f.nolint), Read: os.ReadFile, Wants: f.wants,
			},
		})
		show.stop()
		interrupted = errors.Is(runErr, context.Canceled)
		if runErr != nil && !interrupted {
			if len(claims) == 0 || len(out.Proofs) == 0 {
				printLines(stderr, failures)
				return runErr
			}
			failures = append(failures, runErr.Error())
		}
	}

	rep := output.New(proven(claims, out), degraded)
	rep.Failures = compactLines(append(failures, out.Failures...))
	rep.Live = out.Live
	rep.Count()
	var stale []baseline.Entry
	if f.baseline != "" {
		before := len(rep.Findings)
		rep.Findings, stale = baseline.Apply(rep.Findings, known)
		rep.Summary.Baselined = before - len(rep.Findings)
		rep.Count()
	}
	if err := f.print(rep, paths, stdout); err != nil {
		return err
	}
	printLines(stderr, append(notes, out.Notes...))
	printLines(stderr, rep.Failures)
	if interrupted {
		fmt.Fprintln(stderr, "gpumemlint: interrupted; what was known by then is printed")
	} else if len(rep.Failures) == 0 {
		printStale(stderr, f.baseline, stale)
	}
	if line := text.Summary(rep); line != "" {
		fmt.Fprintf(stderr, "gpumemlint: %s\n", line)
	} else {
		fmt.Fprintln(stderr, "gpumemlint: no findings, and no leak observed")
	}
	shown := rep.Summary.ByVerdict[output.Confirmed] + rep.Summary.ByVerdict[output.Observed]
	switch {
	case interrupted:
		return errReported
	case shown > 0:
		return errFindings
	case len(rep.Failures) > 0:
		return errReported
	}
	return nil
}

// modelSet returns the built-in models and those of the user's file.
func modelSet(name string) (*rules.Set, error) {
	if name == "" {
		return rules.Default(), nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("-models: %w", err)
	}
	file, err := rules.Parse(name, data)
	if err != nil {
		return nil, stubErrors(err)
	}
	return rules.Default().With(file)
}

// claims turns findings into what is to be proved, each once though a package
// and its test variant both have it. Those below the tier are tried as well: a
// doubt that a run confirms is none.
func (f *testFlags) claims(all []found) []proof.Claim {
	type key struct {
		file, rule, message string
		line, column        int
	}
	seen := map[key]bool{}
	var list []proof.Claim
	for _, x := range all {
		k := key{x.finding.File, x.finding.Rule, x.finding.Message, x.finding.Line, x.finding.Column}
		if seen[k] {
			continue
		}
		seen[k] = true
		c := proof.Claim{Finding: x.finding, Hidden: x.tier < f.minTier, Muted: !f.wants(x.finding.Rule)}
		if a := x.detail.Acquired; a != nil {
			c.Acquired = proof.Place{File: a.File, Line: a.Line}
		}
		if c2 := x.detail.Failing; c2 != nil {
			c.Failing = &proof.Call{Place: proof.Place{File: c2.File, Line: c2.Line}, Column: c2.Column, Name: c2.Name}
		}
		list = append(list, c)
	}
	// In a fixed order, since the names of injections come from it.
	slices.SortStableFunc(list, func(a, b proof.Claim) int {
		x, y := &a.Finding, &b.Finding
		return cmp.Or(strings.Compare(x.File, y.File), x.Line-y.Line, x.Column-y.Column, strings.Compare(x.Rule, y.Rule), strings.Compare(x.Message, y.Message))
	})
	return list
}

// proven joins claims with their proofs, and adds what only the runs showed.
func proven(claims []proof.Claim, out *prover.Outcome) []output.Finding {
	var list []output.Finding
	for i, c := range claims {
		p := out.Proofs[i]
		if c.Muted {
			continue // of a rule that the user did not ask for
		}
		if c.Hidden && (p == nil || p.Verdict != output.Confirmed) {
			continue // the user did not ask for it
		}
		f := c.Finding
		f.Proof = p
		list = append(list, f)
	}
	return append(list, out.Observed...)
}

func compactLines(lines []string) []string {
	out := []string{}
	for _, l := range lines {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// ours returns a function that tells the files of the main modules from those
// of libraries.
func ours(ctx context.Context, env environment) func(string) bool {
	var roots []string
	if out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f={{.Dir}}").Output(); err == nil {
		roots = strings.Split(strings.TrimSpace(string(out)), "\n")
	} else if root := env.paths().Root; root != "" {
		roots = []string{root} // as under -mod=vendor in a workspace
	}
	return func(file string) bool {
		if _, cached := output.Inside(env.GOMODCACHE, file); cached {
			return false
		}
		for _, root := range roots {
			rel, ok := output.Inside(root, file)
			if ok && !slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), "vendor") {
				return true
			}
		}
		return false
	}
}

// silenced returns a function that tells where the user has switched the
// linter off. It reads each file once and is not safe for concurrent use.
func silenced(nolint bool) func(file string, line int) bool {
	names := []string{report.LinterName}
	for _, r := range rules.Catalog() {
		names = append(names, r.ID)
	}
	type source struct {
		fset *token.FileSet
		file *ast.File
	}
	files := map[string]*source{}
	return func(name string, line int) bool {
		if !nolint {
			return false
		}
		s, ok := files[name]
		if !ok {
			fset := token.NewFileSet()
			if parsed, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution); err == nil {
				s = &source{fset, parsed}
			}
			files[name] = s
		}
		if s == nil {
			return false // gone, or no Go
		}
		tf := s.fset.File(s.file.FileStart)
		if line < 1 || line > tf.LineCount() {
			return false
		}
		return suppress.Matches(s.fset, s.file, tf.LineStart(line), names...)
	}
}
