// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bazelbuild/buildtools/build"

	"github.com/gpumemlint/gpumemlint/tools/nogo"
)

var update = flag.Bool("update", false, "rewrite nogo.bzl")

// TestNogoList keeps the list for Bazel in step with the analyzers.
func TestNogoList(t *testing.T) {
	var want bytes.Buffer
	want.WriteString("# Copyright 2026 The gpumemlint Authors\n# SPDX-License-Identifier: Apache-2.0\n\n" +
		"\"\"\"The passes as a list for the deps of the rule nogo; docs/drivers.md has an example.\n\n" +
		"Made by go test ./drivers -run NogoList -update, in tools.\n\"\"\"\n\nGPUMEMLINT_NOGO = [str(Label(label)) for label in [\n")
	list := nogoAnalyzers()
	slices.Sort(list)
	for _, path := range list {
		fmt.Fprintf(&want, "    \"//%s\",\n", strings.TrimPrefix(path, modulePath+"/"))
	}
	want.WriteString("]]\n")
	file := filepath.Join(repository(t), "nogo.bzl")
	if *update {
		write(t, file, want.Bytes())
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("nogo.bzl is not current: run go test ./drivers -run NogoList -update in tools; want:\n%s", want.String())
	}
	if _, err := build.ParseBzl(file, got); err != nil {
		t.Errorf("nogo.bzl: %v", err)
	}
	for _, path := range list {
		dir := filepath.Join(repository(t), filepath.FromSlash(strings.TrimPrefix(path, modulePath+"/")))
		if names, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(names) == 0 {
			t.Errorf("there is no package %s", path)
		}
	}
}

// TestDocsBazel checks the files that the documentation shows for Bazel: they
// parse, load what there is, and the configuration works in nogo.
func TestDocsBazel(t *testing.T) {
	mod, err := build.ParseModule("MODULE.bazel", []byte(docBlock(t, "Bazel nogo", "starlark", 0)))
	if err != nil {
		t.Fatal(err)
	}
	if len(mod.Rules("bazel_dep")) != 2 {
		t.Error("MODULE.bazel does not name rules_go and gazelle")
	}
	file, err := build.ParseBuild("BUILD.bazel", []byte(docBlock(t, "Bazel nogo", "starlark", 1)))
	if err != nil {
		t.Fatal(err)
	}
	rules := file.Rules("nogo")
	if len(rules) != 1 || rules[0].AttrString("config") != "nogo.json" || build.FormatString(rules[0].Attr("deps")) != "GPUMEMLINT_NOGO" {
		t.Errorf("the rule nogo is not what the other files expect: %+v", rules)
	}
	if testing.Short() {
		t.Skip("builds nogo")
	}
	config := []byte(docBlock(t, "Bazel nogo", "json", 0))
	bin, err := nogo.Build(t.Context(), t.TempDir(), repository(t), nogoAnalyzers(), config)
	if err != nil {
		t.Fatal(err)
	}
	include := t.TempDir()
	fake, err := os.ReadFile(filepath.Join(repository(t), "testdata", "matrix", "cuda_fake.h"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(include, "cuda_runtime.h"), fake) // an input, under Bazel
	found, err := runNogo(t, bin, app(t), append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_CFLAGS=-I"+include), "example.com/app")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 || found[0].String() != lossAt || found[1].line != poolLine {
		t.Errorf("nogo finds %v, want the loss of CUDA's memory and that of the modelled pool", found)
	}
}
