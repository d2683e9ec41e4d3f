// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package prover

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpumemlint/gpumemlint/internal/proof"
	"github.com/gpumemlint/gpumemlint/internal/testrun"
	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// maxCrashes is how many tests of a package may end the process before the
// rest is given up.
const maxCrashes = 5

// basePath is the package that an external test package tests.
func basePath(pkg string) string { return strings.TrimSuffix(pkg, "_test") }

// first compiles a package's tests and runs all of them once.
func (p *prover) first(ctx context.Context, s *suite) error {
	var err error
	s.binary, err = p.runner.Compile(ctx, s.pkg.Path, s.pkg.Dir, false)
	if bad, ok := isBuildError(err); ok {
		p.explainBuild(ctx, s, bad)
		s.broken = true
		return ctx.Err()
	}
	if err != nil || s.binary == nil {
		return err
	}
	var skip, failed []string
	for range maxCrashes {
		res, err := p.runner.Run(ctx, testrun.Job{Binary: s.binary, Skip: skip, Limit: p.plan.Timeout})
		if res == nil {
			return err
		}
		s.took = max(s.took, res.Took)
		// An interrupt leaves the records of the tests that had ended.
		s.runs = append(s.runs, proof.Run{Package: s.pkg.Path, Records: res.Records, Problem: res.Problem})
		if err != nil {
			return err
		}
		for _, test := range res.Failed {
			if !slices.Contains(failed, test) && test != res.Crashed {
				failed = append(failed, test)
			}
		}
		if res.Crashed == "" {
			if res.Problem != "" {
				s.failures = append(s.failures, fmt.Sprintf("%s: its tests do not run: %s", s.pkg.Path, res.Problem))
			}
			break
		}
		why := res.Problem
		if ok, err := p.passesPlain(ctx, s, res.Crashed); err != nil {
			return err
		} else if ok {
			why += " (only when instrumented: please report it)"
		}
		s.failures = append(s.failures, fmt.Sprintf("%s: %s ends the process and is left out: %s", s.pkg.Path, res.Crashed, why))
		skip = append(skip, res.Crashed)
		// The tests before it ran in order; they run again with those behind
		// it, in one process, so only the last run counts. But what was
		// misused is written down before it happens, and may be why the
		// process ended.
		s.runs[len(s.runs)-1].Records = slices.DeleteFunc(res.Records, func(r track.Record) bool { return r.Kind != track.KindMisuse })
	}
	for _, test := range failed {
		why := "it fails without any call made to fail"
		if ok, err := p.passesPlain(ctx, s, test); err != nil {
			return err
		} else if ok {
			why = "it fails only when instrumented; please report it"
		}
		s.failures = append(s.failures, fmt.Sprintf("%s: %s is left out: %s", s.pkg.Path, test, why))
	}
	return nil
}

// explainBuild says whose fault it is that tests do not compile.
func (p *prover) explainBuild(ctx context.Context, s *suite, bad *testrun.BuildError) {
	_, err := p.runner.Compile(ctx, s.pkg.Path, s.pkg.Dir, true)
	if own, ok := isBuildError(err); ok {
		s.failures = append(s.failures, fmt.Sprintf("%s: its tests do not compile: %s; fix them or leave it out of the pattern", s.pkg.Path, own.Text))
		return
	}
	s.failures = append(s.failures, fmt.Sprintf("%s: its tests compile, but not instrumented: %s; please report it", s.pkg.Path, bad.Text))
}

// passesPlain reports whether a test passes without instrumentation.
func (p *prover) passesPlain(ctx context.Context, s *suite, test string) (bool, error) {
	binary, err := p.runner.Compile(ctx, s.pkg.Path, s.pkg.Dir, true)
	if err != nil || binary == nil {
		if _, ok := isBuildError(err); ok {
			return false, nil
		}
		return false, err
	}
	res, err := p.runner.Run(ctx, testrun.Job{Binary: binary, Tests: []string{test}, Limit: p.plan.Timeout, Plain: true})
	return err == nil && len(res.Failed) == 0 && res.Problem == "", err
}

// again runs the tests twice of which something is left, package by package.
func (p *prover) again(ctx context.Context) error {
	byPackage := map[string][]string{}
	for _, t := range p.c.Doubtful() {
		byPackage[t.Package] = append(byPackage[t.Package], t.Name)
	}
	var list []*suite
	for _, s := range p.suites {
		if len(byPackage[s.pkg.Path]) > 0 && s.binary != nil {
			list = append(list, s)
		}
	}
	results := make([][]proof.Run, len(list))
	err := p.each(ctx, "running again", len(list), func(i int) error {
		tests := byPackage[list[i].pkg.Path]
		for range maxCrashes {
			res, err := p.runner.Run(ctx, testrun.Job{Binary: list[i].binary, Tests: tests, Count: 2, Limit: p.plan.Timeout})
			if err != nil {
				return err
			}
			results[i] = append(results[i], proof.Run{Package: list[i].pkg.Path, Again: true, Records: res.Records, Problem: res.Problem})
			if res.Crashed == "" {
				return nil
			}
			tests = slices.DeleteFunc(slices.Clone(tests), func(t string) bool { return t == res.Crashed })
			if len(tests) == 0 {
				return nil
			}
		}
		return nil
	})
	for _, runs := range results {
		for _, r := range runs {
			p.c.Add(r)
		}
	}
	return err
}

// try makes one call fail in one test.
func (p *prover) try(ctx context.Context, t proof.Trial) (*proof.Run, error) {
	i := slices.IndexFunc(p.suites, func(s *suite) bool { return s.pkg.Path == t.Package })
	if i < 0 || p.suites[i].binary == nil {
		return &proof.Run{Package: t.Package, Inject: t.Inject, Hit: t.Hit}, nil // cannot be: its tests have run
	}
	s := p.suites[i]
	id := t.Inject
	if t.Hit > 1 {
		id = fmt.Sprintf("%s@%d", id, t.Hit)
	}
	res, err := p.runner.Run(ctx, testrun.Job{Binary: s.binary, Tests: []string{t.Name}, Inject: id, Limit: p.trialLimit(s.took)})
	if err != nil {
		return nil, err
	}
	return &proof.Run{Package: t.Package, Inject: t.Inject, Hit: t.Hit, Records: res.Records, Problem: res.Problem}, nil
}

// trialLimit is how long a test may take that meets a failure it may never
// have met: many then wait for what does not come.
func (p *prover) trialLimit(took time.Duration) time.Duration {
	return min(p.plan.Timeout, 20*time.Second+4*took)
}
