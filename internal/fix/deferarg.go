// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/ast"
	"go/types"
)

// earlyDefer finds the defer statement that a verdict of DeferEarly is about,
// and the list that it stands in.
func (s *site) earlyDefer() (*ast.DeferStmt, *stmtList) {
	path := pathTo(s.body, func(n ast.Node) bool {
		_, ok := n.(*ast.DeferStmt)
		return ok && n.Pos() == s.verdict.Pos
	})
	if len(path) < 2 || bodyAround(path) != nil {
		return nil, nil // a literal's
	}
	d := path[0].(*ast.DeferStmt)
	return d, listOf(path[1], d)
}

// deferLater moves a deferred release to behind the acquisition:
//
//	defer C.free(p)            p := C.malloc(n)
//	p = C.malloc(n)      →     defer C.free(p)
func (s *site) deferLater(r release) *candidate {
	d, list := s.earlyDefer()
	if d == nil || list == nil || list.node != s.list.node || s.inLoop || s.ready < 0 || s.verdict.Fate.Kept > 0 || s.handle == nil {
		return nil
	}
	e := s.editor()
	if s.deferredCall(e, d) == "" {
		return nil // it does more than release
	}
	e.remove(d)
	e.after(s.list.stmts[s.ready], e.source(d))
	return s.candidate(e, r, "move the deferred "+r.verb+" to where "+s.name()+" is acquired")
}

// deferLiteral puts the release into a function, which looks at the variable
// when it runs and not when it is deferred.
func (s *site) deferLiteral(r release) *candidate {
	d, list := s.earlyDefer()
	if d == nil || list == nil || s.inLoop || s.handle == nil || s.verdict.Fate.Kept > 0 {
		return nil
	}
	e := s.editor()
	call := s.deferredCall(e, d)
	if call == "" {
		return nil // it does more than release
	}
	lines := []string{"defer func() {"}
	if guard := s.nilGuard(r); guard == "" {
		return nil // whether there is something to release cannot be asked
	} else if guard == "always" {
		lines = append(lines, "\t"+call)
	} else {
		lines = append(lines, "\tif "+guard+" {", "\t\t"+call, "\t}")
	}
	e.remove(d)
	e.before(d, append(lines, "}()")...)
	return s.candidate(e, r, "look at "+s.name()+" when the deferred "+r.verb+" runs")
}

// nilGuard is the condition under which there is something to release: "always"
// where that of nothing is harmless, "" where it cannot be written.
func (s *site) nilGuard(r release) string {
	return nilGuard(s.v.info.TypeOf(s.handle), s.name(), r)
}

func nilGuard(t types.Type, name string, r release) string {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Signature, *types.Map, *types.Chan:
		if r.nilSafe && r.c != "" {
			return "always"
		}
		return name + " != nil"
	case *types.Slice:
		return "always" // a loop over nothing
	case *types.Basic:
		switch {
		case r.nilSafe:
			return "always"
		case u.Kind() == types.UnsafePointer:
			return name + " != nil"
		case u.Info()&types.IsInteger != 0:
			return name + " != 0"
		}
	case *types.Struct:
		if r.nilSafe {
			return "always"
		}
	}
	return ""
}
