// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
)

// gradients mends what one edit can mend about graphs and gradients.
func (v *variant) gradients(verdict ownership.Verdict) []candidate {
	s := v.siteAt(verdict, verdict.Pos)
	if s == nil {
		return nil
	}
	switch verdict.Kind {
	case ownership.NeverZeroed:
		return s.zeroed()
	case ownership.BackwardUnused:
		return s.forwardOnly()
	}
	return s.withoutGraph()
}

// zeroed sets the gradients to zero behind a step:
//
//	opt.Step()
//	opt.ZeroGrad()     // new
func (s *site) zeroed() []candidate {
	st, ok := s.anchor().(*ast.ExprStmt)
	call := plainCall(s.anchor())
	if !ok || call == nil {
		return nil
	}
	x := s.v.operand(call)
	if x == nil {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(s.v.info.TypeOf(x), true, s.v.pkg, "ZeroGrad")
	if m, ok := obj.(*types.Func); !ok || m.Signature().Params().Len() > 0 {
		return nil
	}
	e := s.editor()
	e.after(st, nameText(x)+".ZeroGrad()")
	return s.plain(e, "set the gradients to zero after each step")
}

// forwardOnly tells a machine not to go backwards:
//
//	NewLispMachine(g)  →  NewLispMachine(g, gorgonia.ExecuteFwdOnly())
func (s *site) forwardOnly() []candidate {
	call := s.callAt(s.verdict.Pos)
	if call == nil || len(call.Args) == 0 || call.Ellipsis.IsValid() {
		return nil
	}
	fn := callee(s.v.info, call)
	if fn == nil || fn.Pkg() == nil || !fn.Signature().Variadic() {
		return nil
	}
	option, ok := fn.Pkg().Scope().Lookup("ExecuteFwdOnly").(*types.Func)
	name := s.importName(fn.Pkg())
	if !ok || option.Signature().Params().Len() > 0 || name == "" {
		return nil
	}
	e := s.editor()
	last := call.Args[len(call.Args)-1]
	if strings.TrimSpace(string(s.src.text[e.offset(last.End()):e.offset(call.Rparen)])) != "" {
		return nil // a comma, or a comment
	}
	e.replace(&ast.BadExpr{From: last.End(), To: last.End()}, ", "+name+".ExecuteFwdOnly()")
	return s.plain(e, "do not go backwards")
}

// withoutGraph runs what only evaluates in a scope that records no graph:
//
//	logits := m.Forward(x)  →  var logits *torch.Tensor
//	                           torch.NoGrad(func() { logits = m.Forward(x) })
func (s *site) withoutGraph() []candidate {
	as, ok := s.anchor().(*ast.AssignStmt)
	pkg, scope, isName := strings.Cut(s.verdict.Name, ".")
	if !ok || !isName || !token.IsIdentifier(scope) || as.Tok != token.DEFINE || len(as.Lhs) != 1 || len(as.Rhs) != 1 {
		return nil
	}
	id, ok := as.Lhs[0].(*ast.Ident)
	if !ok || id.Name == "_" || s.callAt(s.verdict.Pos) == nil {
		return nil
	}
	var name string
	for _, p := range s.v.pass.Pkg.Imports() {
		if p.Name() == pkg && p.Scope().Lookup(scope) != nil {
			name = s.importName(p)
		}
	}
	t := s.v.info.TypeOf(id)
	if name == "" || t == nil {
		return nil
	}
	e := s.editor()
	text := e.source(as.Rhs[0])
	if strings.Contains(text, "\n") {
		return nil // a person will want to lay it out
	}
	e.before(as, "var "+id.Name+" "+types.TypeString(t, s.qualify))
	e.replace(as, name+"."+scope+"(func() { "+id.Name+" = "+text+" })")
	return s.plain(e, "evaluate in "+name+"."+scope)
}
