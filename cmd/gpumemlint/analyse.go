// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/govet"
	"github.com/gpumemlint/gpumemlint/internal/standin"
)

// analyse runs go vet, and again with stand-ins as long as packages fail for
// want of C that can be stood in for. On a machine that has it all, this is
// one run. The notes say what stood in for what, and what could not.
func analyse(ctx context.Context, o govet.Options) (res *govet.Result, notes []string, err error) {
	res, _, notes, err = analyseWithPlan(ctx, o)
	return res, notes, err
}

// analyseWithPlan is analyse for who wants to know what stood in.
func analyseWithPlan(ctx context.Context, o govet.Options) (res *govet.Result, plan *standin.Plan, notes []string, err error) {
	plan = new(standin.Plan)
	list := func(ctx context.Context, flags ...string) (string, error) {
		return govet.List(ctx, o, flags...)
	}
	for run := o; ; {
		res, err = govet.Run(ctx, run)
		if err != nil {
			return res, plan, plan.Notes(), err
		}
		more, err := plan.Extend(ctx, list, complaints(res))
		if err == nil && more {
			run, err = with(ctx, o, plan)
		}
		if err != nil && ctx.Err() == nil {
			return res, plan, []string{err.Error()}, nil // the failures are told all the same
		}
		if !more {
			break
		}
	}
	for _, s := range plan.Shadowed {
		if !s.Root {
			continue
		}
		// Its users were analysed, it was not but for what calls no C. What its
		// tests miss in a shadow is of no interest.
		res.Failures = slices.DeleteFunc(res.Failures, func(f govet.Failure) bool { return f.Package == s.Package })
		res.Failures = append(res.Failures, govet.Failure{Kind: govet.NotCompiled, Package: s.Package, Message: strings.TrimSuffix(s.Why, ".")})
	}
	govet.Sort(res.Failures)
	return res, plan, plan.Notes(), nil
}

// with returns the options of a run in which the plan holds.
func with(ctx context.Context, o govet.Options, plan *standin.Plan) (govet.Options, error) {
	flags, env, err := plan.Apply(ctx, o.Env)
	if err != nil {
		return o, err
	}
	o.BuildFlags, err = joinFlags(o.BuildFlags, flags)
	o.Env = env
	return o, err
}

func complaints(res *govet.Result) []standin.Complaint {
	var list []standin.Complaint
	for _, f := range res.Failures {
		if f.Kind == govet.NotCompiled {
			list = append(list, standin.Complaint{Package: f.Package, Message: f.Message})
		}
	}
	return list
}

// withoutCgo says which packages have C code that the go command leaves out
// without a word, because cgo is switched off or there is no C compiler. A
// run that saw none of a project's CUDA code must not look clean.
func withoutCgo(ctx context.Context, o govet.Options) []string {
	env := o.Env
	if env == nil {
		env = os.Environ()
	}
	o.Env = append(slices.Clone(env), "CGO_ENABLED=1")
	out, err := govet.List(ctx, o, "-f={{if .CgoFiles}}{{.ImportPath}}{{end}}")
	if err != nil {
		return nil // a note more or less
	}
	list := strings.Fields(out)
	switch len(list) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("cgo is off, so the C code in %s was not analysed; install a C compiler or set CGO_ENABLED=1", list[0])}
	}
	return []string{fmt.Sprintf("cgo is off, so the C code in %s and %d more was not analysed; install a C compiler or set CGO_ENABLED=1", list[0], len(list)-1)}
}
