// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	ledger "github.com/gpumemlint/gpumemlint/runtime/track"
)

func TestRawC(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unpack(t, "raw.txtar", dir)
	plan := Plan{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=1"), Patterns: []string{"."}}
	marked(t, dir, "inject", func(id, file string, line int) {
		plan.Injections = append(plan.Injections, Injection{ID: id, File: file, Line: line})
	})
	w := build(t, plan)
	if len(w.Skipped) != 0 || len(w.Notes) != 0 {
		t.Errorf("skipped %v, notes %v, want none", w.Skipped, w.Notes)
	}
	p := compile(t, w)
	plain := p.run(t, "")

	name := filepath.Join(dir, "raw.go")
	rec := plain.test(t, "TestNew")
	if len(rec.Live) != 0 || len(rec.Sites) != 1 || rec.Sites[0].Call != "C.cudaMalloc" || rec.Sites[0].Class != "cuda.mem" {
		t.Fatalf("TestNew: %+v, want one site and nothing live", rec)
	}
	if f := rec.Sites[0].Stack[0]; f.Func != "example.com/raw.New" || f.File != name || f.Line != lineWith(t, name, "// acquire") {
		t.Errorf("TestNew: the stack begins with %+v, want the user's call", f)
	}
	for test, live := range map[string]int{"TestScoped": 0, "TestAsync": 0, "TestLose": 1, "TestPairs": 0} {
		if rec := plain.test(t, test); len(rec.Live) != live {
			t.Errorf("%s: live %+v, want %d", test, rec.Live, live)
		}
	}
	var misuse []string
	for _, rec := range plain.kind(ledger.KindMisuse) {
		misuse = append(misuse, rec.Stack[0].Func+" "+rec.Call+" "+rec.Misuse)
	}
	want := []string{"example.com/raw.Async C.cudaFree double-release", "example.com/raw.Async C.cudaMemset use-after-release"}
	if !slices.Equal(misuse, want) {
		t.Errorf("misuse %q, want %q", misuse, want)
	}
	if rec := p.run(t, "memset").test(t, "TestNew"); !rec.Failed || len(rec.Live) != 1 {
		t.Errorf("cudaMemset fails: failed %t, live %+v, want the memory", rec.Failed, rec.Live)
	}
	if rec := plain.test(t, "TestPairs"); len(rec.Sites) != 2 || rec.Sites[0].Released != 1 || rec.Sites[1].Released != 1 {
		t.Errorf("TestPairs: sites %+v, want a gizmo and a lever, both released", rec.Sites)
	}
	if rec := p.run(t, "lever").test(t, "TestPairs"); len(rec.Live) != 1 || !rec.Live[0].Inferred || rec.Live[0].Class != "c:_Ctype_struct_gizmo" {
		t.Errorf("lever_create fails: live %+v, want the gizmo", rec.Live)
	}
	if rec := p.run(t, "errno").test(t, "TestScoped"); !rec.Failed || len(rec.Live) != 0 {
		t.Errorf("check fails: failed %t, live %+v, want nothing, as it is deferred", rec.Failed, rec.Live)
	}
}
