// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package testrun_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpumemlint/gpumemlint/internal/testrun"
	"github.com/gpumemlint/gpumemlint/runtime/track"
)

// suite is a package of tests that end in every way. It writes a ledger by
// itself, as an instrumented one would.
const suite = `package m

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if os.Getenv("BAD_MAIN") != "" {
		fmt.Println("no database")
		os.Exit(1)
	}
	if dir := os.Getenv("GPUMEMLINT_TRACK_DIR"); dir != "" {
		wd, _ := os.Getwd()
		line := fmt.Sprintf("{\"kind\":\"test\",\"test\":%q,\"stack\":[{\"func\":\"f\",\"file\":\"/copy/x.go\",\"line\":1}]}\n", wd+" "+os.Getenv("PWD")+" "+os.Getenv("GPUMEMLINT_TRACK_INJECT"))
		os.WriteFile(dir+"/1.ledger.jsonl", []byte(line), 0o666)
	}
	os.Exit(m.Run())
}

func TestGood(t *testing.T) {
	fmt.Print("no end of line")
	t.Run("sub", func(t *testing.T) { fmt.Println("--- FAIL: TestGood (0.00s)") })
}

func TestBad(t *testing.T) { t.Run("sub", func(t *testing.T) { t.Error("wrong") }) }

func TestCalm(t *testing.T) { t.Parallel() }

func TestPanic(t *testing.T) { panic("at once\nand more") }

func TestExit(t *testing.T) { fmt.Fprintln(os.Stderr, "cannot go on"); os.Exit(7) }

func TestHang(t *testing.T) { time.Sleep(time.Hour) }

func TestArgs(t *testing.T) {
	if len(os.Args) == 0 || os.Args[len(os.Args)-1] != "extra" {
		t.Fatal(os.Args)
	}
}

func BenchmarkB(b *testing.B) { for b.Loop() {} }
`

// The suite is compiled once: building takes longer than all runs together.
var (
	shared  string // a folder for all tests
	compile = sync.OnceValues(func() (*testrun.Binary, error) {
		for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.25.0\n", "m_test.go": suite} {
			if err := os.WriteFile(filepath.Join(shared, name), []byte(text), 0o666); err != nil {
				return nil, err
			}
		}
		r := &testrun.Runner{Dir: shared, Temp: shared, Env: environ}
		return r.Compile(context.Background(), "example.com/m", shared, false)
	})
)

func TestMain(m *testing.M) {
	os.Setenv("GOWORK", "off")
	os.Setenv("GOFLAGS", "")
	dir, err := os.MkdirTemp("", "testrun")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func environ(ledger, inject string) []string {
	return append(os.Environ(), track.EnvDir+"="+ledger, track.EnvInject+"="+inject)
}

func build(t *testing.T) (*testrun.Runner, *testrun.Binary) {
	t.Helper()
	b, err := compile()
	if err != nil {
		t.Fatal(err)
	}
	return &testrun.Runner{
		Dir: shared, Temp: t.TempDir(), Env: environ,
		Fix: func(file string) string { return strings.Replace(file, "/copy/", "/lib/", 1) },
	}, b
}

func TestRun(t *testing.T) {
	r, b := build(t)
	for _, tt := range []struct {
		name    string
		job     testrun.Job
		flags   testrun.Flags
		failed  []string
		crashed string
		problem string
	}{
		{"one", testrun.Job{Tests: []string{"TestGood"}}, testrun.Flags{}, nil, "", ""},
		{"failing", testrun.Job{Tests: []string{"TestGood", "TestBad", "TestCalm"}}, testrun.Flags{}, []string{"TestBad"}, "", ""},
		{"panic", testrun.Job{Tests: []string{"TestBad", "TestPanic"}}, testrun.Flags{}, []string{"TestBad", "TestPanic"}, "TestPanic", "panic: at once"},
		{"exit", testrun.Job{Tests: []string{"TestExit", "TestGood"}}, testrun.Flags{}, nil, "TestExit", "the process ended: exit status 7"},
		{"hang", testrun.Job{Tests: []string{"TestHang"}, Limit: time.Second}, testrun.Flags{}, nil, "TestHang", "not over within 1s"},
		{"skipped", testrun.Job{Skip: []string{"TestHang", "TestExit", "TestPanic", "TestArgs"}}, testrun.Flags{}, []string{"TestBad"}, "", ""},
		{"the user's pattern", testrun.Job{}, testrun.Flags{Run: "Calm|Good"}, nil, "", ""},
		{"the user skips too", testrun.Job{Skip: []string{"TestBad"}}, testrun.Flags{Run: "Bad|Calm|Args", Test: []string{"-test.skip=Args"}}, nil, "", ""},
		{"subtests of the user's pattern", testrun.Job{Tests: []string{"TestBad"}}, testrun.Flags{Run: "Bad/other"}, nil, "", ""},
		{"twice", testrun.Job{Tests: []string{"TestBad"}, Count: 2}, testrun.Flags{}, []string{"TestBad"}, "", ""},
		{"a benchmark", testrun.Job{Tests: []string{"BenchmarkB"}}, testrun.Flags{Bench: true, Test: []string{"-test.bench=.", "-test.benchtime=1x"}}, nil, "", ""},
		{"arguments", testrun.Job{Tests: []string{"TestArgs"}}, testrun.Flags{Args: []string{"extra"}}, nil, "", ""},
		{"by a program", testrun.Job{Tests: []string{"TestArgs"}}, testrun.Flags{Args: []string{"extra"}, Exec: []string{"env", "A=b"}}, nil, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := *r
			r.Flags = tt.flags
			tt.job.Binary = b
			if tt.job.Limit == 0 {
				tt.job.Limit = time.Minute
			}
			res, err := r.Run(t.Context(), tt.job)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(res.Failed, tt.failed) || res.Crashed != tt.crashed || res.Problem != tt.problem {
				t.Errorf("failed %q, crashed %q, problem %q; want %q, %q, %q", res.Failed, res.Crashed, res.Problem, tt.failed, tt.crashed, tt.problem)
			}
		})
	}
}

// TestLedger checks what a run hands over and what it gets back.
func TestLedger(t *testing.T) {
	r, b := build(t)
	res, err := r.Run(t.Context(), testrun.Job{Binary: b, Tests: []string{"TestGood"}, Inject: "call1@2", Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Records) != 1 {
		t.Fatalf("records %+v, want one", res.Records)
	}
	wd, err := filepath.EvalSymlinks(b.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(res.Records[0].Test); len(got) != 3 || got[0] != wd && got[0] != b.Dir || got[1] != b.Dir || got[2] != "call1@2" {
		t.Errorf("the test ran in, with PWD and with the injection %q; want %q twice and call1@2", got, b.Dir)
	}
	if got := res.Records[0].Stack[0].File; got != "/lib/x.go" {
		t.Errorf("file %s, want the user's", got)
	}
	left, err := filepath.Glob(filepath.Join(r.Temp, "ledger*"))
	if err != nil || len(left) > 0 {
		t.Errorf("ledgers left: %v, %v", left, err)
	}
}

// TestNoTestRuns checks a TestMain that gives up, which is no test's fault.
func TestNoTestRuns(t *testing.T) {
	r, b := build(t)
	t.Setenv("BAD_MAIN", "1")
	res, err := r.Run(t.Context(), testrun.Job{Binary: b, Limit: time.Minute})
	if err != nil || res.Crashed != "" || res.Problem != "no database" {
		t.Errorf("%+v, %v; want the problem that TestMain names", res, err)
	}
}

func TestInterrupt(t *testing.T) {
	r, b := build(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	res, err := r.Run(ctx, testrun.Job{Binary: b, Tests: []string{"TestHang"}, Limit: time.Minute})
	if !errors.Is(err, context.Canceled) || res == nil {
		t.Errorf("%+v, %v; want what was there, and that it was interrupted", res, err)
	}
}

func TestCompile(t *testing.T) {
	r, _ := build(t)
	for name, text := range map[string]string{
		"broken/b.go":        "package broken\n",
		"broken/b_test.go":   "package broken\n\nfunc f() { missing() }\n",
		"untested/u.go":      "package untested\n",
		"helped/h.go":        "package helped\n",
		"helped/h_x_test.go": "package helped_test\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n",
	} {
		name = filepath.Join(r.Dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := r.Compile(t.Context(), "example.com/m/broken", filepath.Join(r.Dir, "broken"), false)
	var bad *testrun.BuildError
	if !errors.As(err, &bad) || bad.Text != "broken/b_test.go:3:12: undefined: missing" {
		t.Errorf("error %v, want the compiler's", err)
	}
	if b, err := r.Compile(t.Context(), "example.com/m/untested", filepath.Join(r.Dir, "untested"), false); b != nil || err != nil {
		t.Errorf("%+v, %v for a package without tests; want nothing", b, err)
	}
	if b, err := r.Compile(t.Context(), "example.com/m/helped", filepath.Join(r.Dir, "helped"), true); b == nil || err != nil {
		t.Errorf("%v for a package with an external test", err)
	}
}
