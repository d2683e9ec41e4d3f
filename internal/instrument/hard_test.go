// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	ledger "github.com/gpumemlint/gpumemlint/runtime/track"
)

// marked finds the lines of a folder's Go files that end in "// WORD ID".
func marked(t *testing.T, dir, word string, fn func(id, file string, line int)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(data), "\n") {
			if _, id, ok := strings.Cut(line, "// "+word+" "); ok {
				fn(strings.TrimSpace(id), name, i+1)
			}
		}
	}
}

// TestHard rewrites syntax that is easy to break, runs it, and makes each kind
// of call fail.
func TestHard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unpack(t, "hard.txtar", dir)
	plan := Plan{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod"), Patterns: []string{"./..."}}
	marked(t, dir, "inject", func(id, file string, line int) {
		plan.Injections = append(plan.Injections, Injection{ID: id, File: file, Line: line})
	})
	marked(t, dir, "probe", func(id, file string, line int) {
		plan.Probes = append(plan.Probes, Probe{ID: id, File: file, Line: line})
	})
	before := hashes(t, dir)
	w := build(t, plan)
	if len(w.Skipped) != 0 || len(w.Notes) != 0 {
		t.Errorf("skipped %v, notes %v, want none", w.Skipped, w.Notes)
	}
	p := compile(t, w)
	plain := p.run(t, "", "-test.bench=Use", "-test.benchtime=100x")
	sameFiles(t, before, hashes(t, dir))

	points := map[string]int{}
	for _, rec := range plain.kind(ledger.KindTest) {
		for _, point := range rec.Points {
			points[point.ID] += point.Hits
		}
	}
	for _, inj := range plan.Injections {
		if points[inj.ID] == 0 {
			t.Errorf("no test reached %s", inj.ID)
		}
		r := p.run(t, inj.ID, "-test.run=TestControl|TestRest")
		if list := r.kind(ledger.KindInject); len(list) != 1 || len(list[0].Stack) == 0 || list[0].Stack[0].Line != inj.Line {
			t.Errorf("%s: injected %+v, want once, at line %d\n%s", inj.ID, list, inj.Line, r.output)
		}
		failed := r.test(t, "TestControl").Failed || r.test(t, "TestRest").Failed
		if want := inj.ID != "closure"; failed != want { // whose error nobody looks at
			t.Errorf("%s: failed %t, want %t\n%s", inj.ID, failed, want, r.output)
		}
	}
	if points["case"] == 0 || points["no-switch"] != 0 {
		t.Errorf("points %v, want case to be passed and no-switch not", points)
	}
	checkHard(t, plain)
}

func checkHard(t *testing.T, r run) {
	t.Helper()
	for _, name := range []string{"TestUse", "TestBad", "TestControl"} {
		if rec := r.test(t, name); len(rec.Live) != 0 {
			t.Errorf("%s: live %+v of %+v, want nothing", name, rec.Live, rec.Sites)
		}
	}
	use := r.test(t, "TestUse")
	total := 0
	for _, s := range use.Sites {
		total += s.Acquired
	}
	if total != 8 {
		t.Errorf("TestUse acquired %d: %+v, want 8", total, use.Sites)
	}
	leak := r.test(t, "TestLeak")
	calls := map[string]int{}
	for _, s := range leak.Sites {
		calls[s.Call[strings.LastIndexByte(s.Call, '.')+1:]] += s.Live
	}
	for call, want := range map[string]int{"New": 1, "Open": 1, "Into": 1, "Each": 2, "Scope": 1, "Make": 2, "One": 1, "Two": 1} {
		if calls[call] != want {
			t.Errorf("TestLeak: %d live from %s, want %d", calls[call], call, want)
		}
	}
	if sub := r.test(t, "TestSub"); len(sub.Live) != 2 || sub.Live[0].Test != "TestSub/named" || sub.Live[1].Test != "TestSub/literal" {
		t.Errorf("TestSub: live %+v, want one of each subtest", sub.Live)
	}
	if bench := r.test(t, "BenchmarkUse"); len(bench.Live) != 0 || len(bench.Sites) == 0 {
		t.Errorf("BenchmarkUse: %+v, want sites and nothing live", bench)
	}
	if fuzz := r.test(t, "FuzzUse"); len(fuzz.Live) != 1 {
		t.Errorf("FuzzUse: live %+v, want one", fuzz.Live)
	}
	if stack := use.Sites[5].Stack; stack[0].Library || !strings.HasSuffix(stack[0].Func, "hard.Use") {
		t.Errorf("stack of a function variable %+v, want its caller first", stack)
	}
	tests := map[string]int{}
	for _, rec := range r.kind(ledger.KindMisuse) {
		if rec.Misuse == ledger.DoubleRelease {
			tests[rec.Test]++
			if !strings.HasSuffix(rec.Stack[1].Func, "hard.Bad") {
				t.Errorf("double release %+v, want it in Bad", rec)
			}
		}
	}
	if len(tests) != 2 || tests["TestBad"] != 1 || tests["TestOutside"] != 1 {
		t.Errorf("double releases %v, want one in TestBad and one in TestOutside", tests)
	}
	r.test(t, "ExampleControl")
}
