// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package lazyssa_test

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/lazyssa"
)

var build = &analysis.Analyzer{
	Name: "build", Doc: "builds SSA",
	Run:        func(pass *analysis.Pass) (any, error) { return lazyssa.Build(pass), nil },
	ResultType: reflect.TypeFor[*lazyssa.Package](),
}

// TestFarPackages builds a package that uses types of a package which it does
// not import, and looks at every call for its callee.
func TestFarPackages(t *testing.T) {
	for _, res := range analysistest.Run(t, analysistest.TestData(), build, "example.com/user") {
		built := res.Result.(*lazyssa.Package)
		if built.Pkg.Prog.ImportedPackage("example.com/far") != nil {
			t.Error("a package that the source cannot name is declared")
		}
		var callees []string
		for _, fn := range built.Funcs {
			if fn.Pkg != built.Pkg {
				t.Errorf("%s belongs to %v", fn, fn.Pkg)
			}
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					call, ok := in.(ssa.CallInstruction)
					if !ok {
						continue
					}
					callee := call.Common().StaticCallee()
					if callee == nil {
						continue
					}
					if obj, ok := callee.Object().(*types.Func); ok {
						callees = append(callees, fn.Name()+" calls "+obj.FullName())
					}
				}
			}
		}
		for _, want := range []string{
			"calls calls (*sync.Once).Do",
			"calls calls (example.com/far.Handle).Len",
			"calls calls (*example.com/far.Handle).Free",
			"promoted calls (*example.com/far.Handle).Free",
			"promoted calls (*example.com/far.List[*example.com/far.Handle]).Add",
			"promoted calls (example.com/far.Kind).String",
		} {
			if !slices.Contains(callees, want) {
				t.Errorf("missing: %s; there are:\n%s", want, strings.Join(callees, "\n"))
			}
		}
	}
}
