// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/lazyssa"
	"github.com/gpumemlint/gpumemlint/rules"
)

// engine is what one package's analysis knows. Summaries are computed on
// demand and kept.
type engine struct {
	pass   *analysis.Pass
	pkg    *ssa.Package
	funcs  []*ssa.Function
	models *rules.Set

	infos    map[*ssa.Function]*fnInfo
	analyses map[*ssa.Function]*fnAnalysis
	effects  map[effectKey]effect
	afters   map[effectKey]uint8
	zeros    map[effectKey]zeroResult
	chans    map[*ssa.MakeChan]chanFate
	noRet    map[*ssa.Function]bool
	facts    map[*types.Func]*FuncFact
	pkgFacts map[*types.Package]bool
	may      map[effectKey]bool
	procRel  map[*ssa.Function][]string
	modelOf  map[*types.Func]*rules.Func
	worth    map[types.Type]bool
	funcVars map[*ssa.Global]*ssa.Function
	cRel     map[string]string
	cEmpties map[string]bool
	waiters  map[*ssa.Function]bool // functions that may wait for the device
	starts   map[effectKey]ssa.CallInstruction
	methods  map[*rules.Class][]string
	calls    map[token.Pos]*ast.CallExpr
	litCalls map[*ast.FuncLit]*ast.CallExpr
	cleanups map[ssa.CallInstruction]*ssa.Defer
	hab      *habits
	degraded map[*ssa.Function]bool
	held     []HeldFact

	ownerTypes *[]*ownerType
	again      map[effectKey]againResult
	closers    map[*ssa.Function]map[any]map[*ssa.Function]bool
	finalCalls *[]*final
	armed      *[]*armed
	calledFns  map[*ssa.Function]bool
	copies     map[*types.Named][]string
}

func newEngine(pass *analysis.Pass, built *lazyssa.Package, models *rules.Set) *engine {
	return &engine{
		pass: pass, pkg: built.Pkg, funcs: built.Funcs, models: models,
		infos:    map[*ssa.Function]*fnInfo{},
		analyses: map[*ssa.Function]*fnAnalysis{},
		effects:  map[effectKey]effect{},
		afters:   map[effectKey]uint8{},
		may:      map[effectKey]bool{},
		procRel:  map[*ssa.Function][]string{},
		modelOf:  map[*types.Func]*rules.Func{},
		worth:    map[types.Type]bool{},
		zeros:    map[effectKey]zeroResult{},
		chans:    map[*ssa.MakeChan]chanFate{},
		noRet:    map[*ssa.Function]bool{},
		facts:    map[*types.Func]*FuncFact{},
		pkgFacts: map[*types.Package]bool{},
		cleanups: map[ssa.CallInstruction]*ssa.Defer{},
		degraded: map[*ssa.Function]bool{},
	}
}

func (e *engine) info(fn *ssa.Function) *fnInfo {
	fi := e.infos[fn]
	if fi == nil {
		fi = newFnInfo(fn)
		e.infos[fn] = fi
	}
	return fi
}

func (e *engine) newRun(root *ssa.Function, target *site) *run {
	b := siteBudget
	if target == nil {
		b = summaryBudget
	}
	return &run{
		e: e, budget: b, root: root, target: target,
		active: map[*ssa.Function]int{}, birth: map[*ssa.Function]*ssa.BasicBlock{},
	}
}

// fact is the imported summary of a function of another package, or nil.
func (e *engine) fact(obj *types.Func) *FuncFact {
	if obj == nil || obj.Pkg() == nil || obj.Pkg() == e.pass.Pkg {
		return nil
	}
	obj = obj.Origin()
	if f, ok := e.facts[obj]; ok {
		return f
	}
	var f *FuncFact
	if got := new(FuncFact); e.pass.ImportObjectFact(obj, got) {
		f = got
	}
	e.facts[obj] = f
	return f
}

// analyzed reports whether another package's functions were summarised.
func (e *engine) analyzed(p *types.Package) bool {
	if got, ok := e.pkgFacts[p]; ok {
		return got
	}
	got := e.pass.ImportPackageFact(p, new(PkgFact))
	e.pkgFacts[p] = got
	return got
}

// releaseMethods are the methods that release a handle of a class, by the
// models of its types.
func (e *engine) releaseMethods(c *rules.Class) []string {
	if e.methods == nil {
		e.methods = map[*rules.Class][]string{}
		for _, f := range e.models.Files() {
			for _, t := range f.Types {
				if t.Class == nil {
					continue
				}
				known := e.models.ClassByName(t.Class.Name)
				for _, name := range t.Releases {
					if !slices.Contains(e.methods[known], name) {
						e.methods[known] = append(e.methods[known], name)
					}
				}
			}
		}
	}
	return e.methods[e.models.ClassByName(c.Name)]
}

// noReturn reports whether a call does not come back: the process, the
// goroutine or the test ends there.
func (e *engine) noReturn(iv *invocation) bool {
	if iv.obj == nil {
		return false
	}
	if pkg := iv.obj.Pkg(); pkg != nil {
		switch pkg.Path() {
		case "os":
			return iv.obj.Name() == "Exit"
		case "runtime":
			return iv.obj.Name() == "Goexit"
		case "testing":
			switch iv.obj.Name() {
			case "Fatal", "Fatalf", "FailNow", "Skip", "Skipf", "SkipNow":
				return true
			}
			return false
		}
		if iv.callee == nil || !e.local(iv.callee) {
			switch iv.obj.Name() {
			case "Fatal", "Fatalf", "Fatalln", "FatalContext", "Panic", "Panicf", "Panicln":
				return true // log and its many relatives
			}
		}
	}
	if iv.callee != nil && e.local(iv.callee) {
		return e.neverReturns(iv.callee)
	}
	if f := e.fact(iv.obj); f != nil {
		return f.NoReturn
	}
	return false
}

func (e *engine) neverReturns(fn *ssa.Function) bool {
	if v, ok := e.noRet[fn]; ok {
		return v
	}
	e.noRet[fn] = false // recursion
	seen := map[*ssa.BasicBlock]bool{}
	returns := false
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		if seen[b] || returns {
			return
		}
		seen[b] = true
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Return:
				returns = true
				return
			case *ssa.Call:
				callee := in.Call.StaticCallee()
				if callee == nil {
					continue
				}
				obj, _ := callee.Object().(*types.Func)
				if e.noReturn(&invocation{obj: obj, callee: callee}) {
					return
				}
			}
		}
		for _, s := range b.Succs {
			visit(s)
		}
	}
	visit(fn.Blocks[0])
	// A function that loops for ever is no exit: its work goes on.
	never := !returns && endsInExit(fn)
	e.noRet[fn] = never
	return never
}

// endsInExit reports whether some path ends in a panic or an exit rather than
// in an endless loop.
func endsInExit(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		if len(b.Succs) == 0 {
			return true
		}
	}
	return false
}

// onlyUses reports whether a callee that cannot be seen can be ruled out as an
// owner: the standard library borrows, except where it is a place to keep
// things; a modelled library does what its model says and nothing else.
func (e *engine) onlyUses(iv *invocation) bool {
	if iv.obj == nil {
		if load, ok := iv.common.Value.(*ssa.UnOp); ok {
			if g, ok := load.X.(*ssa.Global); ok && g.Pkg != nil {
				return e.models.Package(g.Pkg.Pkg.Path())
			}
		}
		return false
	}
	pkg := iv.obj.Pkg()
	if pkg == nil {
		return true // error.Error
	}
	if name, ok := cFuncName(iv.obj.Name()); ok {
		return !e.cEnds(name)
	}
	if strings.HasPrefix(iv.obj.Name(), "_cgo") || strings.HasPrefix(iv.obj.Name(), "_Cgo") {
		return true
	}
	path := pkg.Path()
	if e.models.Package(path) {
		return true
	}
	if isStd(path) {
		return !keeper(path)
	}
	return false
}

func isStd(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// keeper reports whether a standard package stores what it is given.
func keeper(path string) bool {
	switch path {
	case "container/list", "container/ring", "container/heap", "sync", "sync/atomic", "context", "net/http",
		"reflect", "expvar", "io", "bufio", "unique", "weak":
		return true
	}
	return false
}

// releasesProcess reports whether fn, or what it calls, releases a process-wide
// class.
func (e *engine) releasesProcess(fn *ssa.Function, class string) bool {
	return slices.Contains(e.processReleases(fn), class)
}

// processReleases lists the process-wide classes that fn, its literals and the
// functions it calls release, in order.
func (e *engine) processReleases(fn *ssa.Function) []string {
	if got, ok := e.procRel[fn]; ok {
		return got // also the answer to recursion
	}
	e.procRel[fn] = nil
	if !e.local(fn) {
		obj, _ := fn.Object().(*types.Func)
		if f := e.fact(obj); f != nil {
			e.procRel[fn] = f.Process
		}
		return e.procRel[fn]
	}
	found := map[string]bool{}
	add := func(list []string) {
		for _, c := range list {
			found[c] = true
		}
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if m := e.callModel(call.Common()); m != nil {
				for _, eff := range m.Effects {
					if eff.Op == rules.OpRelease && eff.Class != nil && eff.Class.Process {
						found[eff.Class.Name] = true
					}
				}
			} else if callee := call.Common().StaticCallee(); callee != nil {
				add(e.processReleases(callee))
			}
		}
	}
	for _, anon := range fn.AnonFuncs {
		add(e.processReleases(anon))
	}
	e.procRel[fn] = sortedKeys(found)
	return e.procRel[fn]
}

// model is the model of a function, looked up once.
func (e *engine) model(obj *types.Func) *rules.Func {
	if obj == nil {
		return nil
	}
	m, ok := e.modelOf[obj]
	if !ok {
		m = e.models.Func(obj)
		e.modelOf[obj] = m
	}
	return m
}

// methodModel is the model of an interface method, which may be declared in an
// interface that the modelled one embeds.
func (e *engine) methodModel(c *ssa.CallCommon) *rules.Func {
	if m := e.model(c.Method); m != nil {
		return m
	}
	if n := namedOf(c.Value.Type()); n == nil || !e.models.Package(n.Obj().Pkg().Path()) {
		return nil
	}
	return e.models.Method(c.Value.Type(), c.Method)
}

func (e *engine) callModel(c *ssa.CallCommon) *rules.Func {
	if c.IsInvoke() {
		return e.methodModel(c)
	}
	if fn := c.StaticCallee(); fn != nil {
		obj, _ := fn.Object().(*types.Func)
		return e.model(obj)
	}
	return e.varModel(c.Value)
}

// cleanupDefer stands for a function registered with t.Cleanup: it runs when
// the test ends.
func (e *engine) cleanupDefer(in ssa.CallInstruction) *ssa.Defer {
	d := e.cleanups[in]
	if d == nil {
		d = &ssa.Defer{Call: ssa.CallCommon{Value: in.Common().Value}}
		e.cleanups[in] = d
	}
	return d
}

// modelEnds reports whether a model releases or consumes something.
func modelEnds(m *rules.Func) bool {
	for _, eff := range m.Effects {
		if eff.Op == rules.OpRelease || eff.Op == rules.OpConsume {
			return true
		}
	}
	return false
}
