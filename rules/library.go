// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"bytes"
	"embed"
	"io/fs"
	"strings"
	"sync"
)

//go:embed stubs/*.gpumem
var stubs embed.FS

// A library is the built-in stub files: indexed by a look at the start of
// their lines, and parsed one by one when something in them is asked for. A
// vet tool is started anew for each package, and most packages need none.
type library struct {
	names    []string
	packages map[string][]string // normal(import path) → file names

	indexed sync.Once
	classes map[string]string // class → file name
	c       map[string]string // C function or type → file name

	mu     sync.Mutex
	parsed map[string]*File
	errs   []error
}

// newLibrary indexes the import paths, which stand at the top of the files.
func newLibrary() *library {
	l := &library{packages: map[string][]string{}, parsed: map[string]*File{}}
	l.names, _ = fs.Glob(stubs, "stubs/*.gpumem") // fails on a bad pattern only
	for _, name := range l.names {
		src, _ := stubs.ReadFile(name) // was listed a line above
		for line := range bytes.Lines(src) {
			if bytes.HasPrefix(line, []byte("package ")) {
				break
			}
			if rest, ok := bytes.CutPrefix(line, []byte(prefix+"package ")); ok {
				word, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
				path := normal(string(word))
				l.packages[path] = append(l.packages[path], name)
			}
		}
	}
	return l
}

// index finds the lines that declare a class or a C name. It is needed only by
// packages that use a modelled library or C.
func (l *library) index() {
	l.indexed.Do(func() {
		l.classes, l.c = map[string]string{}, map[string]string{}
		for _, name := range l.names {
			src, _ := stubs.ReadFile(name) // was listed by newLibrary
			l.indexFile(name, string(src))
		}
	})
}

func (l *library) indexFile(name, src string) {
	isC := false
	for line := range strings.Lines(src) {
		verb, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		word, _, _ := strings.Cut(rest, " ")
		switch {
		case verb == prefix+"class":
			l.classes[word] = name
		case verb == "package":
			isC = rest == "C"
		case !isC:
			continue // Go names are found by their package
		case verb == "func":
			word, _, _ = strings.Cut(rest, "(")
			l.c[word] = name
		case verb == "type":
			l.c[word] = name
		case verb == prefix+"names":
			for _, word := range strings.Fields(rest) {
				l.c[word] = name
			}
		}
	}
}

// classFile is the file that declares a class, cFile that of a C name; empty
// if there is none.
func (l *library) classFile(name string) string { l.index(); return l.classes[name] }
func (l *library) cFile(name string) string     { l.index(); return l.c[name] }

// file parses a stub file once. A bad one is empty, and a test fails.
func (l *library) file(name string) *File {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, ok := l.parsed[name]; ok {
		return f
	}
	src, _ := stubs.ReadFile(name) // was listed by newLibrary
	f, err := Parse(name, src)
	if err != nil {
		l.errs = append(l.errs, err)
		f = &File{Name: name}
	}
	l.parsed[name] = f
	return f
}
