// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"path/filepath"
	"runtime"
	"strings"
)

// How many frames of a stack are kept. Walking them is most of what an event
// costs. Of a release, whose stack matters only when something comes after it, the user's
// line is told; where the first few frames have none, some more are walked.
const (
	depth        = 16
	releaseDepth = 6
	shortDepth   = 3
)

// A stack is one interned stack of program counters. Equal stacks have one address.
type stack struct {
	pcs   []uintptr
	from  *string // what calledFrom says of it; nil: not asked yet
	tells answer  // whether it has a line of the user's
	sites *site   // those that have it
	next  *stack  // of the same hash
}

// answer is one to a question that is asked once.
type answer uint8

const (
	notAsked answer = iota
	no
	aye
)

// stacks interns. The ledger's lock guards it.
type stacks map[uint64]*stack

func hash(pcs []uintptr) uint64 {
	h := uint64(14695981039346656037)
	for _, pc := range pcs {
		h = (h ^ uint64(pc)) * 1099511628211
		h ^= h >> 29
	}
	return h
}

func (s *stacks) intern(pcs []uintptr) *stack {
	if *s == nil {
		*s = stacks{}
	}
	h := hash(pcs)
	first := (*s)[h]
	for p := first; p != nil; p = p.next {
		if equal(p.pcs, pcs) {
			return p
		}
	}
	p := &stack{pcs: append([]uintptr(nil), pcs...), next: first}
	(*s)[h] = p
	return p
}

func equal(a, b []uintptr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// here is the stack of the function that F or Out stands in; skip is how many
// functions of this package lie between. For a C function the literal around
// the call is left out.
func (f *Func) here(skip int, buf []uintptr) []uintptr {
	if f.Raw {
		skip++
	}
	return buf[:runtime.Callers(skip+2, buf)]
}

// whence is the stack of a release: the short one that F has walked, or a longer
// one if that has no line of the user's.
func (l *ledger) whence(f *Func, pcs []uintptr) *stack {
	l.mu.Lock()
	s := l.stacks.intern(pcs)
	if s.tells == notAsked {
		s.tells = no
		if len(pcs) < shortDepth || l.hasUser(f, pcs) {
			s.tells = aye // or there is no more of it
		}
	}
	tells := s.tells
	l.mu.Unlock()
	if tells == aye {
		return s
	}
	var buf [releaseDepth]uintptr
	pcs = f.here(3, buf[:]) // F, enter, whence
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stacks.intern(pcs)
}

// hasUser reports whether a stack has a frame, below that of the modelled
// function, in the module under test.
func (l *ledger) hasUser(f *Func, pcs []uintptr) bool {
	it := runtime.CallersFrames(pcs)
	for own := !f.Raw; ; own = false {
		fr, more := it.Next()
		pkg := packageOf(fr.Function)
		if !own && !isOwn(fr) && within(pkg, home) && (l.lib[pkg] == "" || strings.HasSuffix(fr.File, "_test.go")) {
			return true
		}
		if !more {
			return false
		}
	}
}

// home is the path of the module under test, in which the copy of this package lies.
var home = strings.TrimSuffix(ownPackage, "/testdata/gpumemlint_track")

// within reports whether a package lies at a path or below. Its external tests
// are a package of their own.
func within(pkg, path string) bool {
	rest, ok := strings.CutPrefix(pkg, path)
	return ok && (rest == "" || rest[0] == '/' || rest == "_test")
}

// frames resolves a stack.
func (l *ledger) frames(s *stack, f *Func) []Frame {
	if s == nil || len(s.pcs) == 0 {
		return nil
	}
	var list []Frame
	it := runtime.CallersFrames(s.pcs)
	for {
		fr, more := it.Next()
		if fr.Function != "" && !isOwn(fr) && (len(list) > 0 || !strings.HasPrefix(fr.Function, "reflect.")) {
			_, lib := l.lib[packageOf(fr.Function)]
			list = append(list, Frame{
				Func: fr.Function, File: fr.File, Line: fr.Line,
				Library: lib && !strings.HasSuffix(fr.File, "_test.go"),
			})
		}
		if !more {
			break
		}
	}
	if len(list) > 0 && f != nil && !f.Raw {
		list[0].Library = true // the modelled function itself, wherever it is defined
	}
	return list
}

// ownPackage is the import path of this copy of the package.
var ownPackage = func() string {
	pc, _, _, _ := runtime.Caller(0)
	return packageOf(runtime.FuncForPC(pc).Name())
}()

// isOwn reports whether a frame is part of this package, tests excepted.
func isOwn(fr runtime.Frame) bool {
	return packageOf(fr.Function) == ownPackage && !strings.HasSuffix(fr.File, "_test.go")
}

// packageOf cuts the import path off the name of a function as the runtime
// gives it: "example.com/a%2eb.(*T).M" is in example.com/a.b.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/')
	if i := strings.IndexByte(function, '['); i >= 0 {
		slash = strings.LastIndexByte(function[:i], '/') // type arguments have slashes of their own
	}
	dot := strings.IndexByte(function[slash+1:], '.')
	if dot < 0 {
		return function
	}
	return strings.ReplaceAll(function[:slash+1+dot], "%2e", ".")
}

// inside reports whether the library itself has called one of its modelled
// functions, and not a user.
func (l *ledger) inside(f *Func, s *stack) bool {
	if f.Library == "" {
		return false // the user's own, or C: whoever calls it is a user
	}
	if s.from == nil { // the frame on top says which function it is, so that the answer is always the same
		from := l.calledFrom(f, s.pcs)
		s.from = &from
	}
	return *s.from == f.Library
}

// calledFrom is the library that the caller of a modelled function belongs to;
// empty if a user called it.
func (l *ledger) calledFrom(f *Func, pcs []uintptr) string {
	if len(pcs) == 0 {
		return ""
	}
	it := runtime.CallersFrames(pcs)
	for own := !f.Raw; ; own = false { // the first frame is that of the function itself
		fr, more := it.Next()
		if !own && !strings.HasPrefix(fr.Function, "reflect.") && !isOwn(fr) {
			if strings.HasSuffix(fr.File, "_test.go") {
				return ""
			}
			return l.lib[packageOf(fr.Function)]
		}
		if !more {
			return ""
		}
	}
}

// once reports whether a stack leads through something that happens once in
// a process.
func once(frames []Frame) bool {
	for _, fr := range frames {
		name := filepath.Base(fr.Func)
		if strings.HasPrefix(fr.Func, "sync.(*Once)") || strings.HasPrefix(fr.Func, "sync.OnceValue") ||
			strings.HasSuffix(name, ".TestMain") || strings.Contains(name, ".init.") || strings.HasSuffix(name, ".init") {
			return true
		}
	}
	return false
}
