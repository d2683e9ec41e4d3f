// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership_test

import (
	"bytes"
	"encoding/gob"
	"reflect"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
)

// TestSummaries checks what is exported about functions, for importers: results
// that are owned, arguments that are released, stored or handed back.
func TestSummaries(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), ownership.Analyzer, "summary/use")
}

// TestFactsEncode guards against interface-typed slots in facts: drivers within
// one process never encode them, go vet and nogo crash on them.
func TestFactsEncode(t *testing.T) {
	class := ownership.Class{Name: "x.y", Noun: "y", Verb: "freed", Releases: []string{"Free"}, Owner: true}
	want := &ownership.FuncFact{
		Results:  []ownership.ResultFact{{Result: 1, Path: ".a", Class: class, Cleanup: -1}},
		Into:     []ownership.IntoFact{{Param: 2, Path: ".b[]", Class: class, OK: true}},
		Params:   []ownership.ParamFact{{Param: 0, Path: "", OK: 2, Err: 1, Into: -1, Cond: -1}},
		OnZero:   []int8{1, 0},
		NoReturn: true,
		Process:  []string{"nvml.session"},
	}
	roundTrip(t, want, new(ownership.FuncFact))
	roundTrip(t, &ownership.KeepFact{Ops: []ownership.KeepOp{
		{Op: 1, In: 0, Elem: 2, Key: 1, Result: -1, Func: -1, Limited: true, Calls: true},
		{Op: 2, In: -1, Place: "example.com/p.Kept", Elem: -1, Key: -1, Result: 0, Func: -1, Released: true},
	}}, new(ownership.KeepFact))
	roundTrip(t, &ownership.PkgFact{Stub: "x", Held: []ownership.HeldFact{{Place: "example.com/p.T.m", Taken: true}}}, new(ownership.PkgFact))
	var plain func(path string, typ reflect.Type)
	plain = func(path string, typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Struct:
			for i := 0; i < typ.NumField(); i++ {
				plain(path+"."+typ.Field(i).Name, typ.Field(i).Type)
			}
		case reflect.Slice, reflect.Array:
			plain(path+"[]", typ.Elem())
		case reflect.Map, reflect.Interface, reflect.Pointer, reflect.Func, reflect.Chan:
			t.Errorf("%s is a %s: facts hold plain values only, in a fixed order", path, typ.Kind())
		}
	}
	plain("FuncFact", reflect.TypeFor[ownership.FuncFact]())
	plain("PkgFact", reflect.TypeFor[ownership.PkgFact]())
	plain("KeepFact", reflect.TypeFor[ownership.KeepFact]())
}

func roundTrip(t *testing.T, want, got any) {
	t.Helper()
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(want); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&buf).Decode(got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestMayKeep checks what a driver knows of a file before it is parsed.
func TestMayKeep(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      bool
	}{
		{"generic struct", "package p\n\ntype Cache[K comparable, V any] struct {\n\tm map[K]V\n}\n", true},
		{"generic struct in a group", "package p\n\ntype (\n\tCache[V any] struct{ all []V }\n)\n", true},
		{"cache of any", "package p\n\ntype objectCache struct {\n\tm map[string]any\n}\n", true},
		{"cache with a list", "package p\n\nimport \"container/list\"\n\ntype LRU struct {\n\tll *list.List\n}\n", true},
		{"map of any", "package p\n\ntype document struct {\n\tm map[string]any\n}\n", false},
		{"cache of bytes", "package p\n\ntype Cache struct {\n\tm map[string][]byte\n}\n", false},
		{"generic function", "package p\n\nfunc Map[T any](xs []T) []T { return xs }\n", false},
		{"slice of structs", "package p\n\nvar tests = []struct{ name string }{}\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := ownership.MayKeep([]byte(tt.src)); got != tt.want {
				t.Errorf("MayKeep = %v, want %v", got, tt.want)
			}
		})
	}
}

// TestContainers checks what is exported about a package of containers, which
// knows no GPU library, and that nothing else is.
func TestContainers(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), ownership.Analyzer, "containers")
}
