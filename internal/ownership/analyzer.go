// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"runtime/debug"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/lazyssa"
	"github.com/gpumemlint/gpumemlint/internal/report"
)

// Doc is what drivers print about the engine.
const Doc = `follow owned GPU and native resources to where they end

The engine behind every gpumemlint rule: it reports nothing itself except a
malformed //gpumem: directive.`

// Analyzer computes what becomes of every resource that a package acquires.
// Its result is a *Result. Every pass requires it.
//
// Its flags are those of every finding (see report.RegisterFlags) and models,
// a stub file of the user's.
var Analyzer = newAnalyzer()

func newAnalyzer() *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name:       "ownership",
		Doc:        Doc,
		URL:        "https://pkg.go.dev/github.com/gpumemlint/gpumemlint/internal/ownership",
		Run:        runPass,
		ResultType: reflect.TypeFor[*Result](),
		FactTypes:  []analysis.Fact{(*FuncFact)(nil), (*PkgFact)(nil), (*KeepFact)(nil)},
	}
	report.RegisterFlags(&a.Flags)
	a.Flags.Var(modelFlag, "models", "more models: a stub file as PATH or PATH@sha256:HEX, or its text")
	return a
}

// Result is what the passes read.
type Result struct {
	// Verdicts are in source order.
	Verdicts []Verdict
	// Degraded names functions with more paths than were followed to the end.
	Degraded []string
	// Facts is what the analysis knew of other packages.
	Facts *Facts
}

func runPass(pass *analysis.Pass) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			// A defect of the engine must not take the driver down, nor pass
			// for a clean package.
			err = fmt.Errorf("gpumemlint failed on package %s: %v%s; please report this with the code that triggers it", pass.Pkg.Path(), p, firstFrame(debug.Stack()))
		}
	}()
	report.Directives(pass)
	// Fast path: most packages of a build touch no GPU library.
	if !touches(pass) {
		if containerPackage(pass) {
			keepOnly(pass)
		}
		return new(Result), nil
	}
	models, errs, err := modelsFor(pass)
	if err != nil {
		return nil, err // not a diagnostic: nogo drops those of what an analyzer requires
	}
	for _, e := range errs {
		pass.Report(analysis.Diagnostic{Pos: e.pos, Category: "directive", Message: e.msg})
	}
	e := newEngine(pass, lazyssa.Build(pass), models)
	res, err := e.run()
	if err == nil {
		res.Facts = &Facts{Object: pass.ImportObjectFact, Package: pass.ImportPackageFact, Models: models}
	}
	return res, err
}

// firstFrame is the place in the engine where a panic came from.
func firstFrame(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") && i+3 < len(lines) {
			at := strings.TrimSpace(lines[i+3])
			if j := strings.LastIndex(at, "/internal/"); j >= 0 {
				at = at[j+1:]
			}
			at, _, _ = strings.Cut(at, " ")
			return " (at " + at + ")"
		}
	}
	return ""
}

// debugHook lets a test look at the engine's inner state.
var debugHook func(*engine)

// run analyses every function, exports the summaries and collects verdicts.
func (e *engine) run() (*Result, error) {
	res := new(Result)
	for _, fn := range e.funcs {
		if fn.Parent() != nil {
			continue // with its parent
		}
		a := e.analyze(fn)
		if a == nil {
			continue
		}
		for _, sr := range a.sites {
			first := len(res.Verdicts)
			res.Verdicts = append(res.Verdicts, e.verdicts(sr)...)
			for i := first; i < len(res.Verdicts); i++ {
				res.Verdicts[i].Fate = fateOf(sr)
			}
		}
		res.Verdicts = append(res.Verdicts, e.ownerLacks(a)...)
		res.Verdicts = append(res.Verdicts, e.fieldWrites(fn)...)
		res.Verdicts = append(res.Verdicts, e.globalWrites(fn)...)
		res.Verdicts = append(res.Verdicts, e.misuses(a)...)
	}
	res.Verdicts = append(res.Verdicts, e.lifeVerdicts()...)
	res.Verdicts = append(res.Verdicts, e.habits()...)
	res.Verdicts = withoutKept(res.Verdicts, e.keeps())
	e.export()
	if debugHook != nil {
		debugHook(e)
	}
	for _, fn := range e.funcs {
		if e.degraded[fn] {
			report.Degraded(e.pass, fn.Pos(), funcName(fn), "too many paths to follow each to its end: a leak may be missed")
			res.Degraded = append(res.Degraded, funcName(fn))
		}
	}
	res.Verdicts = leftToGC(onePerCopy(onePerLoss(res.Verdicts)))
	sort.SliceStable(res.Verdicts, func(i, j int) bool {
		if res.Verdicts[i].Pos != res.Verdicts[j].Pos {
			return res.Verdicts[i].Pos < res.Verdicts[j].Pos
		}
		return res.Verdicts[i].Kind < res.Verdicts[j].Kind
	})
	return res, nil
}

// onePerLoss keeps one verdict where one assignment loses what several
// acquisitions may have put there.
func onePerLoss(list []Verdict) []Verdict {
	type place struct {
		pos  token.Pos
		name string
	}
	seen := map[place]bool{}
	kept := list[:0]
	for _, v := range list {
		if v.Kind == Overwritten {
			p := place{v.Pos, v.Name}
			if seen[p] {
				continue
			}
			seen[p] = true
		}
		kept = append(kept, v)
	}
	return kept
}

// export writes the package's summaries as facts.
func (e *engine) export() {
	for _, fn := range e.funcs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || fn.Parent() != nil || !obj.Exported() {
			continue // no other package can call it
		}
		f := e.funcFact(fn)
		if !f.empty() {
			e.pass.ExportObjectFact(obj, f)
		}
	}
	e.pass.ExportPackageFact(&PkgFact{Stub: directiveStub(e.pass), Held: e.held})
}

func (e *engine) funcFact(fn *ssa.Function) *FuncFact {
	f := new(FuncFact)
	if a := e.analyze(fn); a != nil {
		f.Results, f.Into = slices.Concat(a.fresh, a.lent), a.into
	}
	f.NoReturn = e.neverReturns(fn)
	if f.NoReturn {
		return f
	}
	zeros := fn.Signature.Results().Len() == 1
	for i, p := range fn.Params {
		for _, path := range e.paths(fn, i, p) {
			eff := e.localEffect(fn, i, path)
			after := uint8(0)
			if path == "" && e.mayBeHandle(p.Type()) {
				after = e.localAfterUse(fn, i)
			}
			if eff.plain() && after == 0 {
				continue
			}
			f.Params = append(f.Params, ParamFact{
				After: after, Param: i, Path: path, OK: eff.OK, Err: eff.Err, Ret: eff.Ret, RetPath: eff.RetPath,
				Into: eff.Into, IntoPath: eff.IntoPath, Cond: eff.Cond, True: eff.True, False: eff.False,
			})
		}
		if zeros {
			z := zeroOther
			if isStatus(p.Type()) || isError(p.Type()) {
				z = e.onZero(fn, i)
			}
			f.OnZero = append(f.OnZero, int8(z))
		}
	}
	f.Process = e.processReleases(fn)
	f.Order = e.habit().orderOf(fn)
	if e.habit().differentiates() {
		f.Grad = e.habit().gradOf(fn)
	}
	return f
}

// isLocalInterface reports whether t is an interface that is not the standard
// library's. A handle may come as one that has no release: where it is stored,
// callers have to know.
//
//	func (t *Tensor) SetStorage(s Storage) { t.storage = s }
func isLocalInterface(t types.Type) bool {
	named := namedOf(t)
	if named == nil || named.Obj().Pkg() == nil || isStd(named.Obj().Pkg().Path()) {
		return false
	}
	return types.IsInterface(named)
}

// paths lists where below a parameter a resource could lie, as far as fn
// itself looks: the parameter, the fields it reads, their elements.
func (e *engine) paths(fn *ssa.Function, i int, p *ssa.Parameter) []string {
	if !canHold(p.Type(), 0) || !e.worthSummary(p.Type()) && !isLocalInterface(p.Type()) {
		return nil
	}
	found := map[string]bool{"": true}
	addContainer(found, "", p.Type())
	var walk func(v ssa.Value, path string, depth int)
	walk = func(v ssa.Value, path string, depth int) {
		if depth > 3 || v.Referrers() == nil {
			return
		}
		for _, ref := range *v.Referrers() {
			switch ref := ref.(type) {
			case *ssa.FieldAddr:
				if ref.X == v {
					e.addPath(found, path+"."+fieldName(v.Type(), ref.Field), elem(ref.Type()))
					walk(ref, path+"."+fieldName(v.Type(), ref.Field), depth+1)
				}
			case *ssa.Field:
				e.addPath(found, path+"."+fieldName(v.Type(), ref.Field), ref.Type())
				walk(ref, path+"."+fieldName(v.Type(), ref.Field), depth+1)
			case *ssa.UnOp:
				if ref.Op == token.MUL {
					walk(ref, path, depth+1)
				}
			case *ssa.Store:
				if ref.Val == v {
					if a, ok := ref.Addr.(*ssa.Alloc); ok && depth < 2 {
						walk(a, path, depth+1) // a captured parameter
					}
				}
			case *ssa.MakeClosure:
				for k, b := range ref.Bindings {
					if b == v {
						walk(ref.Fn.(*ssa.Function).FreeVars[k], path, depth+1)
					}
				}
			}
		}
	}
	walk(p, "", 0)
	return sortedKeys(found)
}

func elem(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func (e *engine) addPath(found map[string]bool, path string, t types.Type) {
	if !canHold(t, 0) || !e.worthSummary(t) || len(found) > 24 {
		return
	}
	found[path] = true
	addContainer(found, path, t)
}

func addContainer(found map[string]bool, path string, t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if canHold(u.Elem(), 0) {
			found[path+"[]"] = true
		}
	case *types.Array:
		if canHold(u.Elem(), 0) {
			found[path+"[]"] = true
		}
	case *types.Map:
		if canHold(u.Elem(), 0) {
			found[path+"[]"] = true
		}
	}
}

// canHold reports whether a value of type t can be or contain a handle.
func canHold(t types.Type, depth int) bool {
	if depth > 3 {
		return true
	}
	if isError(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr {
			return true
		}
		_, named := types.Unalias(t).(*types.Named)
		return named && u.Info()&types.IsInteger != 0 && u.Kind() != types.Bool && (u.Kind() == types.Uint64 || u.Kind() == types.Int64 || u.Kind() == types.Uint)
	case *types.Pointer:
		return canHold(u.Elem(), depth+1) || isBasicPointer(u)
	case *types.Slice:
		return canHold(u.Elem(), depth+1)
	case *types.Array:
		return canHold(u.Elem(), depth+1)
	case *types.Map:
		return canHold(u.Elem(), depth+1)
	case *types.Chan:
		return canHold(u.Elem(), depth+1)
	case *types.Struct:
		return u.NumFields() > 0 || true
	case *types.Signature:
		return false
	}
	return true
}

// isBasicPointer: *C.char and its kin are handles of C memory.
func isBasicPointer(p *types.Pointer) bool {
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && strings.HasPrefix(n.Obj().Name(), "_Ctype_")
}

// funcName is the function's name as a reader knows it; literals go by their
// parent.
func funcName(fn *ssa.Function) string {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if recv := fn.Signature.Recv(); recv != nil {
		star := ""
		if _, ok := recv.Type().(*types.Pointer); ok {
			star = "*"
		}
		return "(" + star + typeBase(recv.Type()) + ")." + fn.Name()
	}
	return fn.Name()
}

// callPos is where a call is reported: the start of its function operand. For
// a call inside cgo's literals the position of the call itself is off.
func (e *engine) callPos(call *ssa.Call) token.Pos {
	if c := e.callExpr(call); c != nil {
		return c.Fun.Pos()
	}
	return call.Pos()
}

func (e *engine) posOf(in ssa.CallInstruction) token.Pos {
	if call, ok := in.(*ssa.Call); ok {
		return e.callPos(call)
	}
	return in.Pos()
}

func (e *engine) callEnd(call *ssa.Call) token.Pos {
	if fn := call.Parent(); fn != nil && isCgoWrapper(fn) {
		return token.NoPos
	}
	if c := e.callExpr(call); c != nil {
		return c.End()
	}
	return token.NoPos
}

func (e *engine) callExpr(call *ssa.Call) *ast.CallExpr {
	if e.calls == nil {
		e.calls = map[token.Pos]*ast.CallExpr{}
		e.litCalls = map[*ast.FuncLit]*ast.CallExpr{}
		for _, f := range e.pass.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					e.calls[c.Lparen] = c
					if lit, ok := unparen(c.Fun).(*ast.FuncLit); ok {
						e.litCalls[lit] = c
					}
				}
				return true
			})
		}
	}
	fn := call.Parent()
	for fn.Parent() != nil && isCgoWrapper(fn) {
		// The literal stands where the user wrote the call.
		if c := e.litCalls[fn.Syntax().(*ast.FuncLit)]; c != nil {
			return c
		}
		fn = fn.Parent()
	}
	return e.calls[call.Pos()]
}

func unparen(x ast.Expr) ast.Expr {
	for {
		p, ok := x.(*ast.ParenExpr)
		if !ok {
			return x
		}
		x = p.X
	}
}

// isCgoWrapper reports whether fn is a literal that cgo put around a call:
// its first statement assigns to _cgo0.
func isCgoWrapper(fn *ssa.Function) bool {
	lit, ok := fn.Syntax().(*ast.FuncLit)
	if !ok || len(lit.Body.List) == 0 {
		return false
	}
	as, ok := lit.Body.List[0].(*ast.AssignStmt)
	if !ok || len(as.Lhs) != 1 {
		return false
	}
	id, ok := as.Lhs[0].(*ast.Ident)
	return ok && strings.HasPrefix(id.Name, "_cgo")
}
