// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/govet"
	"github.com/gpumemlint/gpumemlint/internal/standin"
)

// analyse runs go vet, and again with stand-ins as long as packages fail for
// want of C that can be stood in for. On a machine that has it all, this is
// one run. The notes say what stood in for what.
func analyse(ctx context.Context, o govet.Options) (res *govet.Result, notes []string, err error) {
	var plan standin.Plan
	list := func(ctx context.Context, flags ...string) (string, error) {
		return govet.List(ctx, o, flags...)
	}
	run := o
	for {
		res, err = govet.Run(ctx, run)
		if err != nil {
			return res, plan.Notes(), err
		}
		more, err := plan.Extend(ctx, list, complaints(res))
		if err != nil {
			return res, plan.Notes(), err
		}
		if !more {
			break
		}
		run = o
		flags, err := plan.Flags(ctx)
		if err != nil {
			return res, plan.Notes(), err
		}
		run.BuildFlags = slices.Concat(o.BuildFlags, flags)
		if run.Env, err = plan.Environ(ctx, o.Env); err != nil {
			return res, plan.Notes(), err
		}
	}
	for _, s := range plan.Shadowed {
		if !s.Root {
			continue
		}
		// Its users were analysed, it was not. What its tests miss in a shadow
		// is of no interest.
		res.Failures = slices.DeleteFunc(res.Failures, func(f govet.Failure) bool { return f.Package == s.Package })
		res.Failures = append(res.Failures, govet.Failure{Kind: govet.NotCompiled, Package: s.Package, Message: strings.TrimSuffix(s.Why, ".")})
	}
	govet.Sort(res.Failures)
	return res, plan.Notes(), nil
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
