// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package prover carries out `gpumemlint test`: it builds the tests with
// internal/instrument, runs them with internal/testrun, and hands the ledgers
// to internal/proof, which says what to run next and what it all means.
//
// A package whose tests do not build, do not exist or fail is named in one
// line, and everything else is proved all the same. An interrupt ends the runs
// and leaves what is known by then. All files go into temporary folders, which
// are gone when Prove returns.
package prover

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gpumemlint/gpumemlint/internal/instrument"
	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/proof"
	"github.com/gpumemlint/gpumemlint/internal/testrun"
	"github.com/gpumemlint/gpumemlint/rules"
)

// A Plan says what to prove, and how.
type Plan struct {
	Patterns []string
	Models   *rules.Set
	Claims   []proof.Claim
	Options  proof.Options // Noun may be nil
	Flags    testrun.Flags
	Timeout  time.Duration // for one run of a package's tests
	Jobs     int           // builds and runs at a time
	Root     string        // GOROOT
	// Told lists packages of which the reader knows already that they do not compile.
	Told map[string]bool
	// Progress, if not nil, is called from several goroutines as work gets done.
	Progress func(what string, done, total int)
}

// An Outcome is what came of it. After an interrupt it holds what was known.
type Outcome struct {
	Proofs   []*output.Proof // one a claim; nil where an interrupt left it open
	Observed []output.Finding
	Live     []output.LiveChart
	Failures []string // what could not be tried, one line each
	Notes    []string // what is worth knowing
}

// prover is a Plan being carried out.
type prover struct {
	plan   Plan
	work   *instrument.Workspace
	runner *testrun.Runner
	c      *proof.Case
	out    *Outcome

	suites []*suite
	silent map[string]string // packages whose tests say nothing, and why
}

// suite is the tests of one package.
type suite struct {
	pkg      instrument.Package
	binary   *testrun.Binary
	took     time.Duration // by the longest ordinary run
	runs     []proof.Run
	failures []string
	broken   bool // its tests do not compile
}

// Prove tries the claims out. The error is for what stopped all of it; if that
// was ctx, the outcome is there as well.
func Prove(ctx context.Context, plan Plan) (*Outcome, error) {
	p := &prover{plan: plan, out: &Outcome{}, silent: map[string]string{}}
	temp, err := os.MkdirTemp("", "gpumemlint-run-")
	if err != nil {
		return p.out, fmt.Errorf("cannot make a temporary folder: %w; set TMPDIR to one that can be written", err)
	}
	defer os.RemoveAll(temp)
	if plan.Options.Noun == nil {
		p.plan.Options.Noun = p.noun
	}
	p.c = proof.New(plan.Claims, p.plan.Options)

	p.progress("instrumenting", 0, 0)
	p.work, err = instrument.Build(ctx, instrument.Plan{
		BuildFlags: plan.Flags.Build, Patterns: plan.Patterns, Models: plan.Models, Injections: injections(p.c.Injections()), Probes: probes(p.c.Probes()),
	})
	if ctx.Err() != nil {
		p.out.Proofs = make([]*output.Proof, len(plan.Claims))
		return p.out, ctx.Err()
	}
	if err != nil {
		return p.out, err
	}
	defer p.work.Close()
	p.runner = &testrun.Runner{
		Dir: p.work.Dir(), Temp: temp, Args: p.work.Args(), Flags: plan.Flags, Env: p.work.Env, Root: plan.Root, Fix: p.work.Original,
	}
	p.prepare()
	err = p.runAll(ctx)
	p.conclude(ctx.Err() != nil)
	return p.out, err
}

// noun is what a class is called, by the models or by the user's directives.
func (p *prover) noun(class string) string {
	if p.work != nil && p.work.Models != nil {
		if c := p.work.Models.ClassByName(class); c != nil {
			return c.Noun
		}
	}
	return class
}

func injections(list []proof.Injection) []instrument.Injection {
	var out []instrument.Injection
	for _, i := range list {
		out = append(out, instrument.Injection{ID: i.ID, File: i.Call.File, Line: i.Call.Line, Column: i.Call.Column})
	}
	return out
}

func probes(list []proof.Probe) []instrument.Probe {
	var out []instrument.Probe
	for _, b := range list {
		out = append(out, instrument.Probe{ID: b.ID, File: b.File, Line: b.Line})
	}
	return out
}

// prepare sorts the packages into those whose tests can run and those of which
// there is something to say.
func (p *prover) prepare() {
	claimed := map[string]bool{}
	for _, cl := range p.plan.Claims {
		if !cl.Hidden && !cl.Muted {
			claimed[basePath(cl.Finding.Package)] = true
		}
	}
	untested := 0
	for _, pkg := range p.work.Packages {
		switch {
		case !pkg.HasTest:
			p.silent[pkg.Path] = "its package has no tests, and no other package's test comes by"
		case pkg.Problem != "":
			p.silent[pkg.Path] = "the tests of its package do not run here"
		}
		switch {
		case pkg.Problem != "" && p.plan.Told[pkg.Path]:
			continue
		case pkg.HasTest && pkg.Problem != "":
			p.out.Failures = append(p.out.Failures, fmt.Sprintf("%s cannot be proved: %s", pkg.Path, pkg.Problem))
		case pkg.HasTest:
			p.suites = append(p.suites, &suite{pkg: pkg})
		case pkg.Problem != "" && pkg.Problem != instrument.NoTests:
			p.out.Failures = append(p.out.Failures, fmt.Sprintf("%s cannot be proved: %s", pkg.Path, pkg.Problem))
		case claimed[pkg.Path]:
			p.out.Notes = append(p.out.Notes, fmt.Sprintf("%s has findings and no tests; only tests of other packages can prove them", pkg.Path))
		default:
			untested++
		}
	}
	if len(p.suites) == 0 && len(p.out.Failures) == 0 {
		p.out.Notes = append(p.out.Notes, "no package that was named has tests; nothing was run")
	}
	for _, n := range p.work.Notes {
		line := n.Message
		if n.Package != "" {
			line = n.Package + ": " + n.Message
		}
		p.out.Notes = append(p.out.Notes, line)
	}
	for id, why := range p.work.Skipped {
		p.c.NoPoint(id, why)
	}
}

// runAll makes all runs. The order in which they end does not matter: results
// are taken in the order of the packages.
func (p *prover) runAll(ctx context.Context) error {
	err := p.each(ctx, "running", len(p.suites), func(i int) error { return p.first(ctx, p.suites[i]) })
	for _, s := range p.suites {
		for _, r := range s.runs {
			p.c.Add(r)
		}
		p.out.Failures = append(p.out.Failures, s.failures...)
		if s.broken {
			p.silent[s.pkg.Path] = "the tests of its package do not run here"
		}
	}
	if err != nil {
		return err
	}
	if err := p.again(ctx); err != nil {
		return err
	}
	for made := 0; ; {
		trials := p.c.Trials()
		if len(trials) == 0 {
			return nil
		}
		results := make([]*proof.Run, len(trials))
		err := p.each(ctx, "making calls fail", len(trials), func(i int) error {
			r, err := p.try(ctx, trials[i])
			results[i] = r
			return err
		})
		for i, r := range results {
			if r != nil {
				p.c.Add(*r)
				p.c.Tried(trials[i])
				made++
			}
		}
		if err != nil {
			return err
		}
	}
}

// each calls f for 0 to n-1, some at a time, until one fails.
func (p *prover) each(ctx context.Context, what string, n int, f func(int) error) error {
	var mu sync.Mutex
	var first error
	done := 0
	p.progress(what, 0, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(p.plan.Jobs, n) {
		wg.Go(func() {
			for i := range next {
				err := f(i)
				mu.Lock()
				done++
				if err != nil && first == nil {
					first = err
				}
				p.progress(what, done, n)
				mu.Unlock()
			}
		})
	}
	for i := range n {
		mu.Lock()
		stop := first != nil
		mu.Unlock()
		if stop || ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if first == nil {
		first = ctx.Err()
	}
	return first
}

func (p *prover) progress(what string, done, total int) {
	if p.plan.Progress != nil {
		p.plan.Progress(what, done, total)
	}
}

// conclude asks for the verdicts. What an interrupt kept from being tried gets none.
func (p *prover) conclude(interrupted bool) {
	p.out.Proofs, p.out.Observed = p.c.Verdicts()
	for i, v := range p.out.Proofs {
		why := p.silent[basePath(p.plan.Claims[i].Finding.Package)]
		if why != "" && v.Verdict == output.NotExercised {
			v.Detail = why // says more than which line nobody came to
		}
	}
	if interrupted {
		for i, v := range p.out.Proofs {
			if v.Verdict != output.Confirmed {
				p.out.Proofs[i] = nil
			}
		}
	}
	p.out.Live = p.c.Live()
	slices.Sort(p.out.Failures)
	p.out.Failures = slices.Compact(p.out.Failures)
	p.out.Notes = compact(p.out.Notes)
}

// compact drops repetitions and keeps the order.
func compact(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// isBuildError reports whether the compiler refused a package.
func isBuildError(err error) (*testrun.BuildError, bool) {
	var b *testrun.BuildError
	ok := errors.As(err, &b)
	return b, ok
}
