// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// addLent records a result that the receiver keeps too and releases in time: a
// cache's. Who gets it must not release it.
//
//	func (c *Cache) Load(n int) (gocv.Mat, error) {
//		m := gocv.IMRead(...)
//		c.frames[n] = m
//		return m, nil
//	}
func (e *engine) addLent(a *fnAnalysis, class Class, o outcome) {
	switch {
	case o.result < 0 || o.path != "" || class.Owner || class.Inferred:
		return // what holds it may have a release of its own
	case o.keeper != 0 || a.fn.Signature.Recv() == nil || o.kept == "":
		return // kept by nobody who could release it later
	}
	named := namedOf(a.fn.Signature.Recv().Type())
	if named == nil || len(e.releasers(named, o.kept)) == 0 {
		return // the caller's release may be the only one
	}
	for _, f := range a.lent {
		if f.Result == o.result {
			return
		}
	}
	a.lent = append(a.lent, ResultFact{Result: o.result, Class: class, Cleanup: -1, Lent: true})
}

// lends reports whether result i of a call stays the callee's, by its summary,
// and the caller does nothing else with what lent it: it could take the result
// out.
func (e *engine) lends(c *ssa.Call, i int) bool {
	fn := c.Call.StaticCallee()
	if fn == nil || len(c.Call.Args) == 0 {
		return false
	}
	obj, _ := fn.Object().(*types.Func)
	if obj == nil {
		return false
	}
	var results []ResultFact
	if e.local(fn) {
		if a := e.analyze(fn); a != nil {
			results = a.lent
		}
	} else if f := e.fact(obj); f != nil {
		results = f.Results
	}
	for _, r := range results {
		if r.Lent && r.Result == i {
			return !e.reachesInto(c.Parent(), namedOf(c.Call.Args[0].Type()), obj)
		}
	}
	return false
}

// reachesInto reports whether a function uses a lender for anything but to
// borrow: reads its fields, or calls another of its methods.
func (e *engine) reachesInto(fn *ssa.Function, owner *types.Named, lender *types.Func) bool {
	if owner == nil {
		return true
	}
	for _, f := range withAll(fn) {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.FieldAddr:
					if isType(in.X.Type(), owner) {
						return true
					}
				case ssa.CallInstruction:
					callee := in.Common().StaticCallee()
					if callee == nil || callee.Signature.Recv() == nil || !isType(callee.Signature.Recv().Type(), owner) {
						continue
					}
					if callee.Object() != lender {
						return true
					}
				}
			}
		}
	}
	return false
}
