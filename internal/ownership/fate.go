// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"sort"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// Fate says how the paths of one acquisition end, and where its handle is to be
// found: what whoever mends a verdict has to know.
type Fate struct {
	Call    *ssa.Call
	Result  int        // result of the call that holds the resource, or -1
	Param   int        // argument (receiver first) that it is stored in, or -1
	Path    string     // below that result or argument
	Cleanup int        // result that is the func which releases it, or -1
	IsFunc  bool       // the result is itself that func
	When    rules.Cond // when the call acquires

	Exits  []Exit // where it is lost, in source order, one a position
	Turns  bool   // also lost at the end of an iteration
	Ended  int    // paths on which it is released or consumed
	Kept   int    // paths on which it is returned or stored
	Unsure bool   // on some path something that cannot be seen may own it
	Cut    bool   // not every path was followed to its end, or not with all that is known
}

// Exit is a return, or the end of a function without one, at which nothing
// leads to the resource any more.
type Exit struct {
	Pos      token.Pos
	Ok, Fail bool // what the return says
}

// fateOf sums up the paths of an acquisition.
func fateOf(sr *siteResult) *Fate {
	a := sr.site.acq
	f := &Fate{
		Call: sr.site.call, Result: a.result, Param: a.param, Path: a.path, Cleanup: a.cleanup,
		IsFunc: a.isFunc, When: a.when, Cut: sr.degraded,
	}
	exits := map[token.Pos]int{}
	for _, o := range sr.outs {
		f.Unsure = f.Unsure || len(o.s.may) > 0 && o.kind != Settled
		f.Cut = f.Cut || o.s.weak
		switch o.kind {
		case Leak:
			i, seen := exits[o.pos]
			if !seen {
				i = len(f.Exits)
				exits[o.pos] = i
				f.Exits = append(f.Exits, Exit{Pos: o.pos})
			}
			f.Exits[i].Ok = f.Exits[i].Ok || o.ok
			f.Exits[i].Fail = f.Exits[i].Fail || o.err
		case LostIteration:
			f.Turns = true
		case LoopDefer:
		case Settled:
			f.Ended++
		case MayOwn:
			f.Unsure = true
		default:
			f.Kept++
		}
	}
	sort.SliceStable(f.Exits, func(i, j int) bool { return f.Exits[i].Pos < f.Exits[j].Pos })
	return f
}

// Facts gives access to what is known of imported packages, for an analysis of
// a changed form of the same package. It is nil for a package that cannot
// matter.
type Facts struct {
	Object  func(types.Object, analysis.Fact) bool
	Package func(*types.Package, analysis.Fact) bool
	Models  *rules.Set
}
