// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/rules"
	ledger "github.com/gpumemlint/gpumemlint/runtime/track"
)

// A point is where a call can be made to fail.
type point struct {
	number  int
	success int64 // the status that means success
}

func loopFrame(at token.Position) ledger.Frame { return ledger.Frame{File: at.Filename, Line: at.Line} }

// wanted finds the calls of a file that the plan wants to fail.
func (b *builder) wanted(u *unit, f *file) map[*ast.CallExpr][]*Injection {
	list := map[*ast.CallExpr][]*Injection{}
	for i := range b.plan.Injections {
		inj := &b.plan.Injections[i]
		if filepath.Clean(b.abs(inj.File)) != f.name || b.points[inj.ID] {
			continue // another file's
		}
		call, why := b.find(u, f, inj)
		if why != "" {
			b.work.Skipped[inj.ID] = why
			continue
		}
		list[call] = append(list[call], inj)
	}
	return list
}

// injections places the points of a package's Go calls; those of C calls are
// part of what rawCalls writes.
func (b *builder) injections(u *unit) {
	for _, f := range u.files {
		calls := slices.SortedFunc(maps.Keys(f.wanted), func(x, y *ast.CallExpr) int {
			return cmp.Or(cmp.Compare(x.Pos(), y.Pos()), cmp.Compare(x.End(), y.End()))
		})
		for _, call := range calls {
			for _, inj := range f.wanted[call] {
				if b.points[inj.ID] {
					continue // a call of C
				}
				if why := b.place(u, f, call, inj.ID); why != "" {
					b.work.Skipped[inj.ID] = why
				}
			}
		}
	}
}

// pointsAt are the points that a call of C is to have.
func (b *builder) pointsAt(f *file, call *ast.CallExpr, name string) (list []*point) {
	for _, inj := range f.wanted[call] {
		list = append(list, b.newPoint(inj.ID, statusOf(b.set.C(name))))
	}
	return list
}

func (b *builder) newPoint(id string, success int64) *point {
	b.points[id] = true
	b.table.Points = append(b.table.Points, id)
	return &point{number: len(b.table.Points) - 1, success: success}
}

// find is the call that an injection names, or why there is none.
func (b *builder) find(u *unit, f *file, inj *Injection) (*ast.CallExpr, string) {
	var best *ast.CallExpr
	bestRank, any := 0, false
	at := -1
	if inj.Column > 0 && inj.Line > 0 && inj.Line <= f.tok.LineCount() {
		at = f.offset(f.tok.LineStart(inj.Line)) + inj.Column - 1
	}
	line := func(p token.Pos) int { return b.fset.PositionFor(p, false).Line }
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if line(call.Pos()) != inj.Line && line(call.Lparen) != inj.Line && line(call.Fun.End()) != inj.Line {
			return true
		}
		if tv := u.info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
			return true // a conversion, or nothing that can fail
		}
		if name, ok := cCallee(call.Fun); ok && u.c != nil && u.c[name] == nil {
			return true // a conversion to a type of C's
		}
		any = true
		if inj.Callee != "" && calleeName(call.Fun) != inj.Callee {
			return true
		}
		start, end := f.offset(call.Pos()), f.offset(call.End())
		exact := at >= 0 && (start == at || f.offset(call.Lparen) == at)
		if at >= 0 && (start > at || end <= at) {
			return true
		}
		// Better is what begins right there, then what can fail. Of equals, the
		// one that is executed last; but of those that only span the
		// column, the innermost, which comes later in this traversal.
		rank := 0
		if exact {
			rank += 2
		}
		if u.canFail(call) {
			rank++
		}
		if best == nil || rank > bestRank || rank == bestRank && (call.End() > best.End() || at >= 0 && !exact) {
			best, bestRank = call, rank
		}
		return true
	})
	switch {
	case best != nil:
		return best, ""
	case !any:
		return nil, fmt.Sprintf("no call in %s, line %d", filepath.Base(f.name), inj.Line)
	}
	return nil, fmt.Sprintf("no call of %s in %s, line %d", inj.Callee, filepath.Base(f.name), inj.Line)
}

func calleeName(fun ast.Expr) string {
	switch x := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr:
		return calleeName(x.X)
	case *ast.IndexListExpr:
		return calleeName(x.X)
	}
	return ""
}

// canFail reports whether the last result of a call can say that it failed.
func (u *unit) canFail(call *ast.CallExpr) bool {
	if name, ok := cCallee(call.Fun); ok {
		return u.c[name] != nil && u.c[name].result != ""
	}
	sig, ok := coreSignature(u.info.TypeOf(call.Fun))
	if !ok || sig.Results().Len() == 0 {
		return false
	}
	if fn := u.callee(call.Fun); fn != nil && fn.Pkg() != nil {
		switch path := fn.Pkg().Path(); {
		case path == "errors", path == "github.com/pkg/errors", fn.FullName() == "fmt.Errorf":
			return false // makes an error, and does not have one
		}
	}
	last := sig.Results().At(sig.Results().Len() - 1).Type()
	if isError(last) || isBool(last) {
		return true
	}
	basic, ok := last.Underlying().(*types.Basic)
	_, named := types.Unalias(last).(*types.Named)
	return ok && named && basic.Info()&types.IsInteger != 0
}

func coreSignature(t types.Type) (*types.Signature, bool) {
	if t == nil {
		return nil, false
	}
	sig, ok := t.Underlying().(*types.Signature)
	return sig, ok
}

// place puts a point at a call; it returns why it cannot.
func (b *builder) place(u *unit, f *file, call *ast.CallExpr, id string) string {
	if name, ok := cCallee(call.Fun); ok {
		if u.c[name] == nil {
			return "its C cannot be compiled here"
		}
		return "the package's calls of C are not rewritten"
	}
	if _, ok := coreSignature(u.info.TypeOf(call.Fun)); !ok {
		return "the type of what is called is not known"
	}
	arguments, why := typeArguments(u, f, call.Fun)
	if why != "" {
		return why
	}
	var m *rules.Func
	if fn := u.callee(call.Fun); fn != nil {
		m = b.set.Func(fn)
	}
	if f.old && importsC(f.syntax) {
		return "cgo leaves its file without type parameters: its module's go line is older than 1.18"
	}
	p := b.newPoint(id, statusOf(m))
	f.raise = true
	f.wrap(call.Fun.Pos(), call.Fun.End(), fmt.Sprintf("%s.Inject(%d, %d, ", track, p.number, p.success), arguments+")")
	return ""
}

func (u *unit) callee(fun ast.Expr) *types.Func {
	var id *ast.Ident
	switch x := ast.Unparen(fun).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	case *ast.IndexExpr:
		return u.callee(x.X)
	case *ast.IndexListExpr:
		return u.callee(x.X)
	default:
		return nil
	}
	fn, _ := u.info.Uses[id].(*types.Func)
	return fn
}

// typeArguments are those that the compiler has inferred for the callee: a
// generic function is no value without them.
func typeArguments(u *unit, f *file, fun ast.Expr) (text, why string) {
	explicit := 0
	var id *ast.Ident
	switch x := ast.Unparen(fun).(type) {
	case *ast.IndexExpr:
		explicit, fun = 1, x.X
	case *ast.IndexListExpr:
		explicit, fun = len(x.Indices), x.X
	}
	switch x := ast.Unparen(fun).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	}
	inst, ok := u.info.Instances[id]
	if id == nil || !ok || inst.TypeArgs.Len() == explicit {
		return "", ""
	}
	if explicit > 0 {
		return "", "a generic function with some of its type arguments left out"
	}
	var list []string
	for i := range inst.TypeArgs.Len() {
		t, ok := u.typeText(f, inst.TypeArgs.At(i))
		if !ok {
			return "", "a generic function whose type arguments cannot be named in its file"
		}
		list = append(list, t)
	}
	return "[" + strings.Join(list, ", ") + "]", ""
}

// typeText is a type as a file can write it.
func (u *unit) typeText(f *file, t types.Type) (string, bool) {
	ok := true
	text := types.TypeString(t, func(p *types.Package) string {
		if p == u.tpkg {
			return ""
		}
		name := importedAs(f.syntax, p.Path())
		switch name {
		case "":
			ok = false
		case ".":
			return ""
		default:
			if name == p.Path()[strings.LastIndexByte(p.Path(), '/')+1:] {
				return p.Name() // the import has no name of its own
			}
		}
		return name
	})
	return text, ok
}
