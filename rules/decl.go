// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// decl reads one declaration with its directives.
func (p *reader) decl(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if p.stub && decl.Body != nil {
			p.errs.add(p.fset.Position(decl.Body.Pos()), "a body of "+decl.Name.Name, "a declaration without one")
		}
		recv := Param{}
		if decl.Recv != nil && len(decl.Recv.List) == 1 {
			recv.Type = types.ExprString(decl.Recv.List[0].Type)
			if names := decl.Recv.List[0].Names; len(names) == 1 {
				recv.Name = names[0].Name
			}
		}
		p.fn(decl.Doc, decl.Name, recv, decl.Type)
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				p.typ(decl, spec)
			case *ast.ValueSpec:
				p.value(decl, spec)
			}
		}
	}
}

// fn reads a function, a method, an interface method or a func variable.
func (p *reader) fn(doc *ast.CommentGroup, name *ast.Ident, recv Param, typ *ast.FuncType) {
	directives := p.directives(doc)
	pos := p.fset.Position(name.Pos())
	if len(directives) == 0 {
		if p.stub {
			p.errs.add(pos, name.Name+" without a directive", "what it does, or //gpumem:use if it does nothing with ownership")
		}
		return // ordinary source is mostly not annotated
	}
	f := &Func{
		Recv: recv, Params: fields(typ.Params), Results: fields(typ.Results),
		Source: p.source, Pos: pos,
	}
	f.Key = p.key(recv.Type, name.Name)
	sc := &scope{recv: recv.Name, isRecv: recv.Type != "", params: f.Params, results: f.Results}
	for _, d := range directives {
		switch d.verb {
		case "source":
			f.Source = p.sourceOf(d)
		case "class":
			p.class(d)
		case "success":
			f.Success, f.StatusResult, f.StatusValue = d.success(f.Results, nil, &p.errs)
		case "names":
			p.names(f, d)
		case "match":
			p.match(f, d)
		default:
			v, ok := verbs[d.verb]
			if !ok {
				p.errs.add(d.pos, "the directive "+d.verb, "one of "+funcVerbs())
				continue
			}
			f.Effects = append(f.Effects, sc.effects(d, v, &p.errs)...)
		}
	}
	if name.Name == "_" && f.Match == nil {
		p.errs.add(pos, "a function named _ without //gpumem:match", "a name, or a pattern of names")
	}
	if f.Success == SuccessAuto && p.stub {
		f.Success, f.StatusResult, f.StatusValue = statusOf(p.out.success, f.Results)
	}
	p.out.Funcs = append(p.out.Funcs, f)
}

// statusOf applies the success conventions of a file header.
func statusOf(defaults []successDefault, results []Param) (Success, int, int64) {
	for _, d := range defaults {
		for i, r := range results {
			if r.Type == d.typ {
				return SuccessStatus, i, d.status
			}
		}
	}
	return SuccessAuto, 0, 0
}

// funcVerbs lists the directives that may stand on a function.
func funcVerbs() string {
	list := append(slices.Collect(maps.Keys(verbs)), "success", "names", "match", "source", "class")
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func (p *reader) names(f *Func, d directive) {
	if len(d.words) == 0 || !p.stub {
		p.errs.add(d.pos, "names here or without a name", "NAME or Type.Method, and only in a stub file")
		return
	}
	for _, w := range d.words {
		if w.kv || !token.IsIdentifier(strings.Replace(w.text, ".", "_", 1)) {
			p.errs.add(w.pos, w.String(), "NAME or Type.Method")
			continue
		}
		f.Names = append(f.Names, w.text)
	}
}

func (p *reader) match(f *Func, d directive) {
	if len(d.words) != 1 || d.words[0].kv || !p.stub || !strings.HasSuffix(f.Key, "._") {
		p.errs.add(d.pos, "match here", `one regular expression (in quotes if it has = or spaces), on a function named _ of a stub file`)
		return
	}
	re, err := regexp.Compile("^(?:" + d.words[0].text + ")$")
	if err != nil {
		p.errs.add(d.words[0].pos, oneLine(err.Error()), "a regular expression")
		return
	}
	f.Match = re
}

// typ reads a type declaration.
func (p *reader) typ(decl *ast.GenDecl, spec *ast.TypeSpec) {
	directives := p.directives(spec.Doc)
	if len(decl.Specs) == 1 || !decl.Lparen.IsValid() {
		directives = append(p.directives(decl.Doc), directives...)
	}
	source := p.source
	var t *Type
	for _, d := range directives {
		switch d.verb {
		case "source":
			source = p.sourceOf(d)
		case "class":
			p.class(d)
		case "resource":
			if t != nil {
				p.errs.add(d.pos, "a second resource directive", "one for a type")
			} else {
				t = d.resource(&p.errs)
			}
		default:
			p.errs.add(d.pos, "the directive "+d.verb+" on a type", "class, resource or source")
		}
	}
	if t != nil {
		t.Key, t.Source = p.key("", spec.Name.Name), source
		p.out.Types = append(p.out.Types, t)
	}
	it, ok := spec.Type.(*ast.InterfaceType)
	if !ok {
		return
	}
	for _, m := range it.Methods.List {
		if sig, ok := m.Type.(*ast.FuncType); ok && len(m.Names) == 1 && m.Doc != nil {
			p.fn(m.Doc, m.Names[0], Param{Type: spec.Name.Name}, sig)
		}
	}
}

// value reads a variable: a func variable can do what a function can, others
// can only be static.
func (p *reader) value(decl *ast.GenDecl, spec *ast.ValueSpec) {
	doc := spec.Doc
	if doc == nil && !decl.Lparen.IsValid() {
		doc = decl.Doc
	}
	if doc == nil {
		return // ordinary source is mostly not annotated
	}
	sig, ok := spec.Type.(*ast.FuncType)
	if !ok {
		sig = &ast.FuncType{Params: &ast.FieldList{}}
	}
	for _, name := range spec.Names {
		p.fn(doc, name, Param{}, sig)
	}
}

// key is the key of a function of the file's first package.
func (p *reader) key(recvType, name string) string {
	pkg := "C"
	if !p.out.C && len(p.out.Packages) > 0 {
		pkg = p.out.Packages[0].Path
	}
	if recvType == "" {
		return pkg + "." + name
	}
	return fmt.Sprintf("(%s.%s).%s", pkg, baseType(recvType), name)
}

// keys is f's key and those of its other names.
func (f *Func) keys() []string {
	keys := []string{f.Key}
	pkg := f.pkgPath()
	for _, n := range f.Names {
		if typ, m, ok := strings.Cut(n, "."); ok {
			keys = append(keys, fmt.Sprintf("(%s.%s).%s", pkg, typ, m))
		} else if f.Recv.Type != "" {
			keys = append(keys, fmt.Sprintf("(%s.%s).%s", pkg, baseType(f.Recv.Type), n))
		} else {
			keys = append(keys, pkg+"."+n)
		}
	}
	return keys
}

// pkgPath is the package part of f's key.
func (f *Func) pkgPath() string {
	k := f.Key
	if rest, ok := strings.CutPrefix(k, "("); ok {
		k, _, _ = strings.Cut(rest, ")")
	}
	return k[:strings.LastIndexByte(k, '.')]
}

// localKey is the part of a key after the package: Name or Type.Method.
func localKey(key, pkgPath string) string {
	if rest, ok := strings.CutPrefix(key, "("+pkgPath+"."); ok {
		return strings.Replace(rest, ")", "", 1)
	}
	return strings.TrimPrefix(key, pkgPath+".")
}

// baseType cuts pointer stars, slices and type arguments off a type.
func baseType(s string) string {
	s, _, _ = strings.Cut(strings.TrimLeft(s, "*()"), "[")
	return strings.TrimRight(s, ")")
}

// fields flattens a parameter or result list.
func fields(list *ast.FieldList) (params []Param) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		t := types.ExprString(f.Type)
		if len(f.Names) == 0 {
			params = append(params, Param{Type: t})
		}
		for _, n := range f.Names {
			params = append(params, Param{Name: n.Name, Type: t})
		}
	}
	return params
}
