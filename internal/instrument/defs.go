// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/gpumemlint/gpumemlint/rules"
)

// definitions rewrites the functions and methods of a package that have a
// model, implement a modelled method of an interface, or use what they are
// given. The text goes behind the opening brace:
//
//	func New(n int) (r0 *Buf, r1 error) { defer gpumemtrack.F(3).Out(&r0, &r1); …
//
// A deferred call sees the results whichever way they are returned, and leaves
// the function's own frame where callers and loggers expect it.
func (b *builder) definitions(u *unit) {
	interfaces := b.modeledInterfaces(u)
	for _, f := range u.files {
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			obj, _ := u.info.Defs[fn.Name].(*types.Func)
			if obj == nil {
				continue // no types: the package does not compile
			}
			m := b.set.Func(obj)
			if m == nil {
				m = b.implemented(obj, interfaces)
			}
			uses := u.modeled && fn.Name.IsExported() && !asksState(fn.Name.Name) && !strings.HasSuffix(f.name, "_test.go")
			if m == nil && !uses {
				continue
			}
			s := b.specOf(m, displayName(obj), signatureOf(obj.Signature()), uses)
			switch {
			case s == nil:
				// The ledger has nothing to do with it.
			case fn.Body == nil:
				if m != nil {
					b.note(u.pkg, displayName(obj)+" has no body in Go: it is not recorded")
				}
			case unsafeToDefer(fn):
				b.note(u.pkg, displayName(obj)+" must not be interrupted (//go:nosplit): it is not recorded")
			default:
				if b.isLibrary(u.pkg) {
					s.fn.Library = u.pkg.library()
				}
				b.define(f, fn, s)
			}
		}
	}
}

// asksState reports whether a method of that name may be called after the
// release: it asks whether there was one.
func asksState(name string) bool {
	switch name {
	case "Ok", "OK", "Valid", "Closed", "Released", "Finalized", "Freed", "Destroyed", "Empty", "String", "GoString", "Format", "Error", "Err", "Ptr", "Pointer", "Handle", "Name", "ID":
		return true
	}
	return strings.HasPrefix(name, "Is") || strings.HasPrefix(name, "Has")
}

func unsafeToDefer(fn *ast.FuncDecl) bool {
	if fn.Doc == nil {
		return false
	}
	return slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:nosplit") || strings.HasPrefix(c.Text, "//go:norace")
	})
}

// displayName is the name of a function as stacks and reports have it.
func displayName(fn *types.Func) string {
	return strings.ReplaceAll(fn.FullName(), "command-line-arguments.", "")
}

// define puts the ledger's calls into a function.
func (b *builder) define(f *file, fn *ast.FuncDecl, s *spec) {
	params := nameFields(f, fn.Type.Params, track+"P", slices.ContainsFunc(s.ins, func(i int) bool { return i >= 0 }))
	var recv []string
	if slices.Contains(s.ins, recvIn) {
		recv = nameFields(f, fn.Recv, track+"Recv", true)
	}
	results := nameFields(f, fn.Type.Results, track+"R", true)
	args := []string{strconv.Itoa(b.add(s))}
	for _, in := range s.ins {
		switch {
		case in == recvIn && len(recv) == 1:
			args = append(args, recv[0])
		case in >= 0 && in < len(params):
			args = append(args, params[in])
		default:
			args = append(args, "nil") // the model speaks of more than there is
		}
	}
	var outs []string
	for _, r := range results {
		outs = append(outs, "&"+r)
	}
	f.insert(fn.Body.Lbrace+1, fmt.Sprintf(" defer %s.F(%s).Out(%s);", track, strings.Join(args, ", "), strings.Join(outs, ", ")))
}

// nameFields returns the names of the entries of a list, having given names
// to those without one if that is needed.
func nameFields(f *file, list *ast.FieldList, prefix string, needed bool) []string {
	if list == nil {
		return nil
	}
	var names []string
	for _, field := range list.List {
		if len(field.Names) == 0 {
			name := prefix + strconv.Itoa(len(names))
			names = append(names, name)
			if !needed {
				continue
			}
			if list.Opening.IsValid() {
				f.insert(field.Type.Pos(), name+" ")
			} else { // a single result without parentheses
				f.wrap(field.Type.Pos(), field.Type.End(), "("+name+" ", ")")
			}
			continue
		}
		for _, id := range field.Names {
			if id.Name != "_" {
				names = append(names, id.Name)
				continue
			}
			name := prefix + strconv.Itoa(len(names))
			names = append(names, name)
			if needed {
				f.replace(id.Pos(), id.End(), name)
			}
		}
	}
	return names
}

// A modeledInterface is an interface some of whose methods have models.
type modeledInterface struct {
	typ     *types.Interface
	methods map[string]*rules.Func
}

// modeledInterfaces are those that a package declares or imports.
func (b *builder) modeledInterfaces(u *unit) []modeledInterface {
	if u.tpkg == nil {
		return nil
	}
	var list []modeledInterface
	for _, p := range append([]*types.Package{u.tpkg}, u.tpkg.Imports()...) {
		if !b.set.Package(p.Path()) {
			continue
		}
		scope := p.Scope()
		for _, name := range scope.Names() {
			tn, ok := scope.Lookup(name).(*types.TypeName)
			if !ok {
				continue
			}
			typ, ok := tn.Type().Underlying().(*types.Interface)
			if !ok || typ.NumMethods() == 0 {
				continue
			}
			if n, ok := types.Unalias(tn.Type()).(*types.Named); ok && n.TypeParams().Len() > 0 {
				continue // implemented by instances only: rare, and not worth the cost
			}
			in := modeledInterface{typ: typ, methods: map[string]*rules.Func{}}
			for i := range typ.NumMethods() {
				if m := b.set.Method(tn.Type(), typ.Method(i)); m != nil {
					in.methods[typ.Method(i).Name()] = m
				}
			}
			if len(in.methods) > 0 {
				list = append(list, in)
			}
		}
	}
	return list
}

// implemented is the model of the interface method that a method implements.
func (b *builder) implemented(fn *types.Func, interfaces []modeledInterface) *rules.Func {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	t := recv.Type()
	if _, ok := t.(*types.Pointer); !ok {
		t = types.NewPointer(t)
	}
	for _, in := range interfaces {
		if m := in.methods[fn.Name()]; m != nil && types.Implements(t, in.typ) {
			return m
		}
	}
	return nil
}

// variables rewrites modelled variables of function type at their
// initialisation, unless what they are set to is recorded itself.
func (b *builder) variables(u *unit) {
	for _, f := range u.files {
		for _, decl := range f.syntax.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				b.variable(u, f, spec.(*ast.ValueSpec))
			}
		}
	}
}

func (b *builder) variable(u *unit, f *file, vs *ast.ValueSpec) {
	for i, name := range vs.Names {
		v, _ := u.info.Defs[name].(*types.Var)
		if v == nil {
			continue
		}
		sig, ok := v.Type().Underlying().(*types.Signature)
		m := b.set.Var(v)
		if !ok || m == nil {
			continue
		}
		full := u.pkg.path() + "." + name.Name
		if len(vs.Values) != len(vs.Names) {
			b.note(u.pkg, full+" is set at run time: it is not recorded")
			continue
		}
		if b.recorded(u, vs.Values[i]) {
			continue
		}
		s := b.specOf(m, full, signatureOf(sig), false)
		if s == nil {
			continue
		}
		s.fn.Raw = true // its own frame is not on the stack
		if b.isLibrary(u.pkg) {
			s.fn.Library = u.pkg.library()
		}
		ins := make([]string, len(s.ins))
		for k, in := range s.ins {
			ins[k] = strconv.Itoa(in)
		}
		f.raise = true
		f.wrap(vs.Values[i].Pos(), vs.Values[i].End(), fmt.Sprintf("%s.Wrap(%d, ", track, b.add(s)), fmt.Sprintf(", []int{%s})", strings.Join(ins, ", ")))
	}
}

// recorded reports whether an expression is a function that tells the ledger
// itself.
func (b *builder) recorded(u *unit, e ast.Expr) bool {
	var id *ast.Ident
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return false
	}
	fn, _ := u.info.Uses[id].(*types.Func)
	if fn == nil {
		return false
	}
	m := b.set.Func(fn)
	if m == nil {
		m = b.implemented(fn, b.modeledInterfaces(u))
	}
	return m != nil && b.specOf(m, "", signatureOf(fn.Signature()), false) != nil
}
