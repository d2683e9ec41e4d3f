// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// FuncFact is the summary of a function, for packages that import it. It holds
// plain values in a fixed order, so that every driver stores the same bytes.
type FuncFact struct {
	Results  []ResultFact
	Into     []IntoFact
	Params   []ParamFact
	OnZero   []int8
	NoReturn bool
	Process  []string // process-wide classes that it releases
	Order    []OrderFact
	Grad     []int // results that carry a graph of gradients
}

// ResultFact says that a result is owned by the caller.
type ResultFact struct {
	Result  int
	Path    string
	Class   Class
	Cleanup int // result that is the func which releases it, or -1
	IsFunc  bool
	Shared  bool // only on some returns: not followed
	Lent    bool // the receiver keeps it and releases it: not the caller's
}

// IntoFact says that a call leaves a resource below one of its arguments.
type IntoFact struct {
	Param  int
	Path   string
	Class  Class
	OK     bool // when it succeeds
	Failed bool // when it fails
}

// ParamFact is the effect on a resource below an argument.
type ParamFact struct {
	Param    int
	Path     string
	OK, Err  uint8
	Ret      int
	RetPath  string
	Into     int
	IntoPath string
	Cond     int
	True     uint8
	False    uint8
	After    uint8 // what it does with a handle that was released before
}

// AFact marks FuncFact as a fact.
func (*FuncFact) AFact() {}

func (f *FuncFact) String() string {
	var parts []string
	for _, r := range f.Results {
		parts = append(parts, fmt.Sprintf("result%d%s:%s", r.Result, r.Path, r.Class.Name))
	}
	for _, p := range f.Params {
		if p.OK|p.Err != 0 {
			parts = append(parts, fmt.Sprintf("arg%d%s:%02x/%02x", p.Param, p.Path, p.OK, p.Err))
		}
		if p.After != 0 {
			parts = append(parts, fmt.Sprintf("arg%d%s after release:%x", p.Param, p.Path, p.After))
		}
	}
	for _, i := range f.Into {
		parts = append(parts, fmt.Sprintf("into%d%s:%s", i.Param, i.Path, i.Class.Name))
	}
	if f.NoReturn {
		parts = append(parts, "noreturn")
	}
	return strings.Join(parts, " ")
}

func (f *FuncFact) empty() bool {
	zero := true
	for _, z := range f.OnZero {
		zero = zero && z == 0
	}
	return len(f.Results) == 0 && len(f.Into) == 0 && len(f.Params) == 0 && len(f.Process) == 0 && len(f.Order) == 0 && len(f.Grad) == 0 && zero && !f.NoReturn
}

// effect finds the summary for the resource at path below argument i: the
// exact path, else a part of it (an owner is released with its parts), else
// what holds it.
func (f *FuncFact) effect(i int, path string) effect {
	var best *ParamFact
	for k := range f.Params {
		p := &f.Params[k]
		if p.Param != i {
			continue
		}
		switch {
		case p.Path == path:
			return p.effect()
		case strings.HasPrefix(path, p.Path):
			if best == nil || len(p.Path) > len(best.Path) {
				best = p
			}
		case strings.HasPrefix(p.Path, path) && best == nil:
			best = p
		}
	}
	if best == nil {
		return effect{Cond: -1, Into: -1}
	}
	eff := best.effect()
	if rest, ok := strings.CutPrefix(path, best.Path); ok {
		eff.RetPath += rest // the part goes where the whole goes
		eff.IntoPath += rest
	}
	return eff
}

func (p *ParamFact) effect() effect {
	return effect{p.OK, p.Err, p.Ret, p.RetPath, p.Into, p.IntoPath, p.Cond, p.True, p.False}
}

func (f *FuncFact) acquisitions() []acquisition {
	var list []acquisition
	for _, r := range f.Results {
		if r.Lent {
			continue
		}
		list = append(list, acquisition{
			class: r.Class, result: r.Result, param: -1, path: r.Path, cleanup: r.Cleanup, isFunc: r.IsFunc, shared: r.Shared,
		})
	}
	for _, p := range f.Into {
		a := acquisition{class: p.Class, result: -1, param: p.Param, path: p.Path, cleanup: -1, local: true}
		if p.OK {
			list = append(list, a)
		}
		if p.Failed {
			a.failing = true
			list = append(list, a)
		}
	}
	return list
}

// PkgFact marks a package whose functions were summarised, so that the absence
// of a FuncFact means "does nothing with it", and carries its directives.
type PkgFact struct {
	Stub string     // the package's own //gpumem: directives, as a stub file
	Held []HeldFact // containers that several packages can reach
}

// AFact marks PkgFact as a fact.
func (*PkgFact) AFact() {}

func (f *PkgFact) String() string { return "summarised" }

var _ = []analysis.Fact{(*FuncFact)(nil), (*PkgFact)(nil)}
