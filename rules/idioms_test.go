// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"
	"strings"
	"testing"
)

// An idiom is one way in which GPU libraries handle ownership.
type idiom struct {
	name string
	stub string   // declarations, after a header with the classes x.a, x.b, x.p
	want []string // Key: directives, one line a function
}

// idioms is the inventory of docs/models.md: one example, or a few, for each,
// and what it must mean. The text form of an effect names everything in it, so
// that comparing texts compares the typed values. TestEveryIdiom sees to it
// that none is missing.
var idioms = slices.Concat(idiomsAcquire, idiomsRelease, idiomsTransfer, idiomsBorrow, idiomsScope)

const idiomHeader = `//gpumem:package lib
//gpumem:source https://example.com
package lib

//gpumem:class x.a noun=thing verb=freed
//gpumem:class x.b noun=buffer verb=freed
//gpumem:class x.p noun="pool thing" verb=recycled

`

func TestIdioms(t *testing.T) {
	for _, idiom := range idioms {
		t.Run(idiom.name, func(t *testing.T) {
			f := mustParse(t, idiomHeader+idiom.stub)
			set, err := newSet(&library{}, nil).With(f)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(set, f); !slices.Equal(got, idiom.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(idiom.want, "\n"))
			}
		})
	}
}

// TestEveryIdiom counts the idioms.
func TestEveryIdiom(t *testing.T) {
	var names []string
	for _, idiom := range idioms {
		names = append(names, idiom.name)
	}
	want := "A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 " +
		"T1 T2 T3 T4 T5 T6 T7 T8 B1 B2 B3 B4 B5 B6 B7 S1 S2 S3 S4 S5 S6 S7 S8 S9 S10"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("idioms: %s\nwant:   %s", got, want)
	}
}

// TestRoundTrip reads the text form of every idiom and every built-in model
// again.
func TestRoundTrip(t *testing.T) {
	files := Default().Files()
	for _, idiom := range idioms {
		files = append(files, mustParse(t, idiomHeader+idiom.stub))
	}
	for _, f := range files {
		for _, fn := range f.Funcs {
			sc := &scope{recv: fn.Recv.Name, isRecv: fn.Recv.Type != "", params: fn.Params, results: fn.Results}
			for i, text := range fn.Directives() {
				if i >= len(fn.Effects) {
					break // success, which has no effect
				}
				var errs ErrorList
				d, _ := splitDirective(prefix+text, fn.Pos, &errs)
				again := sc.effects(d, verbs[d.verb], &errs)
				if len(errs) > 0 || len(again) != 1 || fn.directive(again[0]) != text {
					t.Errorf("%s: %s: read again: %v %v", f.Name, text, again, errs)
				}
			}
		}
	}
}

// describe is all that a file declares, as the set has it: one line each.
func describe(set *Set, f *File) (lines []string) {
	for _, c := range f.Classes {
		if c.Name == "x.a" || c.Name == "x.b" || c.Name == "x.p" {
			continue // the header's
		}
		line := "class " + c.Name
		for name, again := range againNames {
			if c.Again == again && again != AgainUnknown {
				line += " again=" + name
			}
		}
		for word, set := range map[string]bool{" nil=ok": c.NilSafe, " process": c.Process, " ignore": c.Ignore, " optional": c.Optional} {
			if set {
				line += word
			}
		}
		if c.Pool != "" {
			line += " pool=" + c.Pool
		}
		if len(c.Before) > 0 {
			line += " before=" + strings.Join(c.Before, ",")
		}
		if c.Backstop != BackstopNone && c.Name != "x.c" {
			line += " backstop=" + string('0'+rune(c.Backstop))
		}
		lines = append(lines, line)
	}
	p := set.packages["lib"]
	for _, typ := range f.Types {
		typ = p.types[typ.name()]
		line := "type " + typ.Key + " " + typ.Class.Name + " release=" + strings.Join(typ.Releases, ",")
		if typ.Owned {
			line += " owned"
		}
		lines = append(lines, line)
	}
	for _, fn := range f.Funcs {
		fn = p.funcs[localKey(fn.Key, "lib")]
		lines = append(lines, fn.Key+": "+strings.Join(fn.Directives(), "; "))
	}
	return lines
}

func mustParse(t *testing.T, src string) *File {
	t.Helper()
	f, err := Parse("lib.gpumem", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
