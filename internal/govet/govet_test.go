// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package govet

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParseFailures(t *testing.T) {
	for _, tt := range []struct {
		name, stderr string
		want         []Failure
	}{
		{"nothing", "", nil},
		{"progress", "go: downloading example.com/x v1.0.0\n", nil},
		{"compiler, first error only", "# example.com/m/p\np/p.go:3:20: undefined: x\np/p.go:3:27: undefined: y\n",
			[]Failure{{NotCompiled, "example.com/m/p", "p/p.go:3:20: undefined: x"}}},
		{"vet tool with test variant", "# example.com/m/p\n# [example.com/m/p]\ntool: p/p_test.go:3:36: undefined: z\n",
			[]Failure{{NotCompiled, "example.com/m/p", "p/p_test.go:3:36: undefined: z"}}},
		{"go's own prefix", "# example.com/m/p\nvet: p/p.go:1:1: expected 'package'\n",
			[]Failure{{NotCompiled, "example.com/m/p", "p/p.go:1:1: expected 'package'"}}},
		{"C compiler", "# example.com/m/c\nIn file included from c.h:1,\n                 from c.go:3:\nd.h:2:10: fatal error: cuda.h: No such file or directory\n    2 | #include <cuda.h>\ncompilation terminated.\n",
			[]Failure{{NotCompiled, "example.com/m/c", "d.h:2:10: fatal error: cuda.h: No such file or directory"}}},
		{"missing pkg-config file", "# gocv.io/x/gocv\n# [pkg-config --cflags  -- opencv4]\nPackage opencv4 was not found in the pkg-config search path.\nPerhaps you should\n",
			[]Failure{{NotCompiled, "gocv.io/x/gocv", "Package opencv4 was not found in the pkg-config search path."}}},
		{"crash", "# example.com/m/p\npanic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/x.go:1 +0x1\n",
			[]Failure{{NotCompiled, "example.com/m/p", "panic: runtime error: index out of range"}}},
		{"two packages", "# a\na.go:1:1: x\n# b\nb.go:1:1: y\n",
			[]Failure{{NotCompiled, "a", "a.go:1:1: x"}, {NotCompiled, "b", "b.go:1:1: y"}}},
		{"advice on a second line", "n.go:2:8: no required module provides package example.com/n; to add it:\n\tgo get example.com/n\n",
			[]Failure{{NotLoaded, "", "n.go:2:8: no required module provides package example.com/n; to add it, run go get example.com/n"}}},
		{"no module", "go: go.mod file not found in current directory or any parent directory; see 'go help modules'\n",
			[]Failure{{NotLoaded, "", noModule}}},
		{"no packages", "go: warning: \"./x/...\" matched no packages\nno packages to vet\n",
			[]Failure{{NotLoaded, "", "the patterns match no packages; name one that exists, as in ./..."}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := parseFailures(tt.stderr, "tool"); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestDecode(t *testing.T) {
	const in = `{}
{"p [p.test]": {"leak": [{"category": "GM102", "posn": "/d/a:b.go:3:12", "end": "/d/a:b.go:3:20", "message": "m",
  "suggested_fixes": [{"message": "Fix", "edits": [{"filename": "/d/a:b.go", "start": 1, "end": 2, "new": "x"}]}],
  "related": [{"posn": "/d/a:b.go:1:1", "end": "", "message": "here"}]}],
 "errpath": {"error": "failed prerequisites: ownership"}, "ownership": {"error": "too\nbad"}}}`
	calls := 0
	res, n, err := decode(strings.NewReader(in), func() { calls++ })
	if err != nil || n != 2 || calls != 2 {
		t.Fatalf("%d documents, %d calls, error %v; want 2, 2, none", n, calls, err)
	}
	want := &Result{
		Diagnostics: []Diagnostic{{
			Package: "p", Analyzer: "leak", Category: "GM102", Message: "m",
			Pos: Position{"/d/a:b.go", 3, 12}, End: Position{"/d/a:b.go", 3, 20}, Related: []string{"here"},
			Fixes: []Fix{{Message: "Fix", Edits: []Edit{{File: "/d/a:b.go", Start: 1, End: 2, New: "x"}}}},
		}},
		Failures: []Failure{{NotAnalysed, "p", "too"}},
	}
	if !reflect.DeepEqual(res, want) {
		t.Errorf("got %+v\nwant %+v", res, want)
	}
}

func TestDecodeCutShort(t *testing.T) {
	const in = `{"p": {"leak": [{"category": "GM102", "posn": "p.go:3", "message": "m"}]}} {"q": {`
	res, n, err := decode(strings.NewReader(in), nil)
	if err == nil || n != 1 || len(res.Diagnostics) != 1 {
		t.Errorf("%d documents, %+v, error %v; want the first document and an error", n, res, err)
	}
}

func TestParsePosition(t *testing.T) {
	for in, want := range map[string]Position{
		"a.go:3:12":         {"a.go", 3, 12},
		"a.go:3":            {"a.go", 3, 0},
		"a.go":              {"a.go", 0, 0},
		`C:\a.go:3:12`:      {`C:\a.go`, 3, 12},
		"":                  {"", 0, 0},
		"/x/a:1.go:10:2":    {"/x/a:1.go", 10, 2},
		"a.go:not:a:number": {"a.go:not:a:number", 0, 0},
	} {
		if got := parsePosition(in); got != want {
			t.Errorf("parsePosition(%q) = %+v, want %+v", in, got, want)
		}
	}
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Options{Dir: t.TempDir(), Tool: "none", Patterns: []string{"./..."}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that the context is cancelled", err)
	}
}

func TestRunWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Run(context.Background(), Options{Patterns: []string{"./..."}}); !errors.Is(err, ErrNoGo) {
		t.Errorf("error %v, want %v", err, ErrNoGo)
	}
}
