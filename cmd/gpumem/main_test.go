// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/nvml"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// TestMain lets the transcripts run gpumem, and sample, which writes the
// snapshots that they look at.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"gpumem": main,
		"sample": func() {
			if err := sample(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
	})
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits,
		},
	})
}

// exits runs a command and checks its exit status: exits STATUS CMD ARG...
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// sample writes before.json and after.pickle: between them a cache has grown.
func sample() error {
	d, err := gpumem.Open(simdrv.New(simdrv.Config{}), gpumem.WithHistory(1000), gpumem.WithPolicy(gpumem.PolicyPyTorch))
	if err != nil {
		return err
	}
	weights, cache := gpumem.RegisterSite("model.go:31 model.New"), gpumem.RegisterSite("cache.go:88 cache.Append")
	for range 3 {
		if _, err := d.Alloc(10<<20, gpumem.At(weights)); err != nil {
			return err
		}
	}
	gone, err := d.Alloc(4096, gpumem.At(cache), gpumem.Tag("first"))
	if err != nil {
		return err
	}
	if err := save("before.json", profile.Take(d).WriteJSON); err != nil {
		return err
	}
	if err := gone.Close(); err != nil {
		return err
	}
	for range 2 {
		if _, err := d.Alloc(1<<20, gpumem.At(cache)); err != nil {
			return err
		}
	}
	return save("after.pickle", profile.Take(d).WritePickle)
}

func save(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return err
	}
	return f.Close()
}

// TestEveryConversionReadsBack converts recorded traces, with two streams and
// with mapped segments, to every format, and reads those back that can be read.
func TestEveryConversionReadsBack(t *testing.T) {
	traces := []string{"two_streams", "gpt12_var_seq_expandable"}
	if testing.Short() {
		traces = traces[:1]
	}
	dir := t.TempDir()
	for _, trace := range traces {
		trace = filepath.Join("..", "..", "runtime", "gpumem", "replay", "testdata", trace+".json.gz")
		var want []gpumem.Entry
		for _, c := range conversions() {
			out := filepath.Join(dir, "x"+c.suffixes[0])
			if status, text := call("convert", "-o", out, trace); status != exitOK {
				t.Fatalf("%s to %s: status %d, %s", trace, c.name, status, text)
			}
			env := &environment{}
			switch c.name {
			case "json", "pickle":
				got, err := env.readTrace(out, 0)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got.Events
				}
				if len(got.Events) != len(want) || fmt.Sprint(got.Events[:100]) != fmt.Sprint(want[:100]) {
					t.Errorf("%s as %s has other events", trace, c.name)
				}
			case "rmm":
				got, err := env.readTrace(out, 0)
				if err != nil {
					t.Fatal(err)
				}
				if n := allocs(want); n == 0 || allocs(got.Events) != n {
					t.Errorf("%s as RMM log: %d allocations of %d", trace, allocs(got.Events), n)
				}
			}
		}
	}
}

func allocs(entries []gpumem.Entry) (n int) {
	for _, e := range entries {
		if e.Action == gpumem.ActionAlloc {
			n++
		}
	}
	return n
}

// call runs a command in this process.
func call(args ...string) (status int, text string) {
	var out, errs bytes.Buffer
	env := &environment{ctx: context.Background(), stdin: strings.NewReader(""), stdout: &out, stderr: &errs,
		openDriver: func() (driver, error) { return nil, nvml.ErrUnavailable }}
	status = env.run(args)
	return status, out.String() + errs.String()
}

// FuzzReport throws bytes at the reader of all formats: whatever it accepts can
// be shown, and everything else is one line.
func FuzzReport(f *testing.F) {
	f.Add([]byte(`{"events":[["alloc",4096,10,0],["segment_map",4096,512,0],["free_completed",4096,10,0]]}`))
	f.Add([]byte("Thread,Time,Action,Pointer,Size,Stream\n1,0,allocate,0x1,10,0\n1,0,allocate,0x5,10,0\n"))
	f.Add([]byte(`{"segments":[],"device_traces":[[{"action":"alloc","addr":1,"size":5,"frames":[]}]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		env := &environment{stdin: bytes.NewReader(data)}
		s, err := env.readSnapshot("-")
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		for _, c := range conversions() {
			var out bytes.Buffer
			if err := c.write(&out, s, 0); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		var out bytes.Buffer
		if err := profile.WriteText(&out, s); err != nil {
			t.Error(err)
		}
		if _, err := memviz.Read(mustWrite(t, s)); err != nil {
			t.Error(err)
		}
	})
}

func mustWrite(t *testing.T, s *memviz.Snapshot) []byte {
	var out bytes.Buffer
	if err := s.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
