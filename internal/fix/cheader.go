// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package fix

import (
	"go/types"
	"regexp"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/rules"
)

var (
	includeLine = regexp.MustCompile(`(?m)^\s*(?://)?\s*#\s*include\s*([<"][^>"]+[>"])`)
	cCall       = regexp.MustCompile(`\bC\.(\w+)\b`)
)

// includes lists the headers that a file's preamble includes.
func (s *source) includes() map[string]bool {
	set := map[string]bool{}
	head := string(s.text)
	if i := strings.Index(head, `import "C"`); i >= 0 {
		head = head[:i]
	}
	for _, m := range includeLine.FindAllStringSubmatch(head, -1) {
		set[m[1]] = true
	}
	return set
}

// namesC reports whether a file refers to C.name.
func (s *source) namesC(name string) bool {
	for _, m := range cCall.FindAllSubmatch(s.text, -1) {
		if string(m[1]) == name {
			return true
		}
	}
	return false
}

// cVisible reports whether the file with the acquisition surely sees the
// declaration of a C function. Each file has a preamble of its own: that another
// file of the package calls it proves nothing unless this one includes what that
// one does.
func (s *site) cVisible(name string) bool {
	if s.src.namesC(name) || name == "free" && s.src.includes()["<stdlib.h>"] {
		return true
	}
	mine := s.src.includes()
	for _, other := range s.v.files {
		if other == s.src || other.text == nil || !other.namesC(name) {
			continue
		}
		theirs := other.includes()
		all := len(theirs) > 0
		for h := range theirs {
			all = all && mine[h]
		}
		if all {
			return true
		}
	}
	return name != "free" && s.sameLibrary(name)
}

// sameLibrary reports whether the model of a C function stands in one stub file
// with that of the function which acquired: what is one library has one header.
func (s *site) sameLibrary(name string) bool {
	fn := s.verdict.Fate.Call.Call.StaticCallee()
	if fn == nil {
		return false
	}
	acq, rel := s.v.models().C(fn.Name()), s.v.models().C(name)
	return acq != nil && rel != nil && acq.Pos.Filename == rel.Pos.Filename
}

// undeclared lists releases by C functions which the package calls nowhere, so
// that cgo has not declared them.
func (s *site) undeclared(t types.Type, class ownership.Class, nilSafe bool) []release {
	if class.Name != "c.heap" || !s.src.includes()["<stdlib.h>"] {
		return nil // which header declares it cannot be told
	}
	if m := rules.Default().C("free"); m == nil {
		return nil
	}
	conv, needUnsafe, ok := conversion(t, types.Typ[types.UnsafePointer])
	if !ok {
		return nil
	}
	return []release{{
		write: func(x string) string { return "C.free(" + strings.ReplaceAll(conv, "$", x) + ")" },
		verb:  "C.free", nilSafe: nilSafe, c: "free", unsafe: needUnsafe,
	}}
}
