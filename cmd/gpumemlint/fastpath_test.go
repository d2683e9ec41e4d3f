// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestSkipped checks which packages are not analysed at all. Each case is a
// package that is only imported; want is whether there is nothing to learn.
func TestSkipped(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	noFacts, facts := write("none.vetx", ""), write("some.vetx", "x")
	containers := write("containers.vetx", "\x00*ownership.KeepFact\x01")
	t.Setenv("GOROOT", dir)
	plain := write("plain.go", "package p\n\nimport _ \"fmt\"\n")
	for _, tt := range []struct {
		name string
		u    unit
		args []string
		want bool
	}{
		{"plain", unit{GoFiles: []string{plain}}, nil, true},
		{"with an import that is not modelled", unit{GoFiles: []string{write("other.go", "package p\n\nimport _ \"example.com/x\"\n")}}, nil, true},
		{"with a modelled import", unit{GoFiles: []string{write("ort.go", "package p\n\nimport _ \"github.com/yalue/onnxruntime_go\"\n")}}, nil, false},
		{"with a modelled import, vendored", unit{GoFiles: []string{write("v.go", "package p\n\nimport _ \"ort\"\n")},
			ImportMap: map[string]string{"ort": "github.com/yalue/onnxruntime_go"}}, nil, false},
		{"with a directive", unit{GoFiles: []string{write("dir.go", "package p\n\n//gpumem:release x p\nfunc f(p int) {}\n")}}, nil, false},
		{"with cgo", unit{GoFiles: []string{write("_cgo_gotypes.go", "package p\n")}}, nil, false},
		{"with an import that has no facts", unit{GoFiles: []string{plain}, PackageVetx: map[string]string{"q": noFacts}}, nil, true},
		{"with an import that has facts", unit{GoFiles: []string{plain}, PackageVetx: map[string]string{"q": facts}}, nil, false},
		{"with an import that knows containers only", unit{GoFiles: []string{plain}, PackageVetx: map[string]string{"q": containers}}, nil, true},
		{"with a container of anything", unit{GoFiles: []string{write("bag.go", "package p\n\ntype Bag[V any] struct{ all []V }\n")}}, nil, false},
		{"with an import whose facts are missing", unit{GoFiles: []string{plain}, PackageVetx: map[string]string{"q": filepath.Join(dir, "absent")}}, nil, false},
		{"with the user's models", unit{GoFiles: []string{plain}}, []string{"-models=x"}, false},
		{"that does not parse", unit{GoFiles: []string{write("bad.go", "package p\nimport {\n")}}, nil, false},
		{"standard library with cgo", unit{Dir: filepath.Join(dir, "src", "net"), GoFiles: []string{filepath.Join(dir, "_cgo_gotypes.go")}}, []string{"-models=x"}, true},
		{"module in a folder like the standard library's", unit{Dir: filepath.Join(dir, "src", "net"), ModulePath: "m", GoFiles: []string{filepath.Join(dir, "_cgo_gotypes.go")}}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.u.VetxOnly, tt.u.VetxOutput = true, filepath.Join(t.TempDir(), "out.vetx")
			tt.u.Stdout = tt.u.VetxOutput + ".stdout"
			data, err := json.Marshal(tt.u)
			if err != nil {
				t.Fatal(err)
			}
			if got := skipped(write("vet.cfg", string(data)), tt.args); got != tt.want {
				t.Errorf("skipped = %v, want %v", got, tt.want)
			}
			out, err := os.ReadFile(tt.u.VetxOutput)
			if tt.want && (err != nil || len(out) != 0) {
				t.Errorf("facts %q, error %v; want an empty file", out, err)
			}
			tt.u.VetxOnly = false
			data, err = json.Marshal(tt.u)
			if err != nil {
				t.Fatal(err)
			}
			if skipped(write("vet.cfg", string(data)), tt.args) {
				t.Error("a package to report on was skipped")
			}
		})
	}
}
