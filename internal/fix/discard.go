// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// dropped lists the candidates for results that have no name.
func (s *site) dropped() []candidate {
	f := s.verdict.Fate
	if f.Result < 0 || f.Path != "" || f.Cleanup >= 0 || f.IsFunc {
		return nil
	}
	if s.handle != nil {
		return nil // it has a name after all
	}
	var list []candidate
	sig := f.Call.Call.Signature()
	t := s.resultType()
	if t == nil || f.Result >= sig.Results().Len() {
		return nil
	}
	for _, r := range s.releasesOf(t, s.verdict.Class) {
		if r.fails && s.joinsErrors() {
			continue // here an error of a release is not dropped
		}
		if c := s.nameBlank(r); c != nil {
			list = append(list, *c)
		}
		if c := s.hoist(r); c != nil {
			list = append(list, *c)
		}
	}
	return list
}

// resultType is the type of the result that is dropped.
func (s *site) resultType() types.Type {
	switch t := s.v.info.TypeOf(s.call).(type) {
	case *types.Tuple:
		if i := s.verdict.Fate.Result; i < t.Len() {
			return t.At(i).Type()
		}
		return nil
	default:
		return t
	}
}

// nameBlank gives a dropped result a name and releases it once it is known to be
// there:
//
//	_, err := New()     →     x, err := New()
//	if err != nil {           if err != nil {
//		return err                return err
//	}                         }
//	                          x.Close()
//
// Where the call has made something else with it, as a device with its instance,
// that may need it: the release is deferred then.
func (s *site) nameBlank(r release) *candidate {
	as, ok := s.anchor().(*ast.AssignStmt)
	lhs := s.lhs()
	if !ok || as.Tok != token.DEFINE || s.verdict.Fate.Result >= len(lhs) || !isBlank(lhs[s.verdict.Fate.Result]) || s.ready < 0 {
		return nil
	}
	name := s.wish()
	if name == "" {
		return nil
	}
	e := s.editor()
	e.replace(lhs[s.verdict.Fate.Result], name)
	if !s.hasSiblings() {
		e.after(s.list.stmts[s.ready], r.write(name))
		return s.candidate(e, r, "keep the "+s.verdict.Class.Noun+" and call "+r.verb+" on it")
	}
	if s.inLoop || s.temporaryEscapes(s.body) {
		return nil // it would be released too late, or too early for what came with it
	}
	e.after(s.list.stmts[s.ready], "defer "+r.write(name))
	return s.candidate(e, r, "keep the "+s.verdict.Class.Noun+" and defer "+r.verb)
}

// hasSiblings reports whether the call gives something else that could lead into
// the resource.
func (s *site) hasSiblings() bool {
	results := s.verdict.Fate.Call.Call.Signature().Results()
	for i := 0; i < results.Len(); i++ {
		if i != s.verdict.Fate.Result && mayPoint(results.At(i).Type(), 0) {
			return true
		}
	}
	return false
}

// hoist gives a temporary argument a variable in front of its statement:
//
//	C.set_name(C.CString(a))     →     name := C.CString(a)
//	                                   defer C.free(unsafe.Pointer(name))
//	                                   C.set_name(name)
func (s *site) hoist(r release) *candidate {
	st := s.anchor()
	if _, tuple := s.v.info.TypeOf(s.call).(*types.Tuple); tuple || s.mayFailVisibly() {
		return nil // nobody could look at the error
	}
	if !s.evaluatedFirst(st) {
		return nil
	}
	name := s.wish()
	if name == "" {
		return nil
	}
	e := s.editor()
	lines := []string{name + " := " + e.source(s.call)}
	switch {
	case !s.inLoop:
		if s.temporaryEscapes(s.body) {
			return nil
		}
		lines = append(lines, "defer "+r.write(name))
	case leaves(st) || s.temporaryEscapes(s.list.node) || !simple(st):
		return nil // no one place behind it
	default:
		e.after(st, r.write(name))
	}
	e.before(st, lines...)
	e.replace(s.call, name)
	return s.candidate(e, r, "give the "+s.verdict.Class.Noun+" a name and call "+r.verb+" on it")
}

// mayFailVisibly reports whether the call is of a kind whose failure is seen in
// its only result: a temporary of that kind is not looked at, so whether it may
// be released is not known.
func (s *site) mayFailVisibly() bool {
	return s.verdict.Fate.Call.Call.Signature().Results().Len() != 1
}

// simple reports whether a statement has no blocks.
func simple(st ast.Stmt) bool {
	switch st.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.DeclStmt:
		return true
	}
	return false
}

// evaluatedFirst reports whether taking the call out in front of its statement
// changes nothing: it is evaluated exactly once, and no call before it.
func (s *site) evaluatedFirst(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.ExprStmt, *ast.ReturnStmt, *ast.DeclStmt:
	case *ast.AssignStmt:
		for _, l := range st.Lhs {
			if hasCall(l) {
				return false
			}
		}
	case *ast.IfStmt:
		if st.Init != nil && !within(st.Init, s.call) || st.Init == nil && !within(st.Cond, s.call) {
			return false // behind an init statement, or in a block of its own
		}
	case *ast.RangeStmt:
		if !within(st.X, s.call) {
			return false
		}
	default:
		return false // a loop's condition, a deferred call, a case
	}
	for i, n := range s.path[1:] {
		if n == ast.Node(st) {
			break
		}
		inner := s.path[i]
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.LAND || n.Op == token.LOR) && inner == ast.Node(n.Y) {
				return false // not evaluated always
			}
			if inner == ast.Node(n.Y) && hasCall(n.X) {
				return false
			}
		case *ast.CallExpr:
			if inner != ast.Node(n.Fun) && hasCall(n.Fun) {
				return false
			}
			for _, a := range n.Args {
				if a == inner {
					break
				}
				if hasCall(a) {
					return false
				}
			}
		case *ast.CompositeLit:
			for _, a := range n.Elts {
				if a == inner {
					break
				}
				if hasCall(a) {
					return false
				}
			}
		case *ast.FuncLit:
			return false
		}
	}
	return true
}

// hasCall reports whether evaluating x calls something other than a conversion,
// or receives.
func hasCall(x ast.Node) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			if !looksLikeConversion(n) {
				found = true
			}
		}
		return !found
	})
	return found
}

// looksLikeConversion matches unsafe.Pointer(x), C types and the basic types. A
// method's receiver counts as a call before its arguments.
func looksLikeConversion(call *ast.CallExpr) bool {
	if len(call.Args) != 1 {
		return false
	}
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.StarExpr:
		return true
	case *ast.Ident:
		obj := types.Universe.Lookup(fun.Name)
		_, isType := obj.(*types.TypeName)
		return isType || strings.HasPrefix(fun.Name, "_Ctype_")
	case *ast.SelectorExpr:
		id, ok := fun.X.(*ast.Ident)
		return ok && id.Name == "unsafe" && fun.Sel.Name == "Pointer"
	}
	return false
}

// temporaryEscapes reports whether something that leads into the temporary may
// be used after its release.
func (s *site) temporaryEscapes(scope ast.Node) bool {
	d := s.v.dependentsIn(s.body, func(x ast.Expr) bool { return x == ast.Expr(s.call) }, 0)
	return d.escapes(s.body, scope)
}

// wish is a name for the resource that means nothing else in the function.
func (s *site) wish() string {
	words := strings.Fields(s.verdict.Class.Noun)
	wish := "x"
	if len(words) > 0 && token.IsIdentifier(words[len(words)-1]) {
		wish = words[len(words)-1]
	}
	if t := s.resultType(); t != nil && isCString(t) {
		wish = "cString"
	}
	return freshName(s.v, s.body, wish)
}
