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
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(want); err != nil {
		t.Fatal(err)
	}
	got := new(ownership.FuncFact)
	if err := gob.NewDecoder(&buf).Decode(got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
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
}
