// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/gpumemlint/gpumemlint/tools/modcache"
)

// golangciModule is the release that the documentation names.
var golangciModule = modcache.Module{Path: "github.com/golangci/golangci-lint/v2", Version: "v2.15.0", Sum: "h1:w94zf8HAYI7hm3164kwKsvZRuqXvY+YxeFoTbu1OLg8="}

// TestDocsGolangci makes a golangci-lint with the plugin, as users do: by the
// command custom, from the files that the documentation shows. What it clones
// is served from the module cache.
func TestDocsGolangci(t *testing.T) {
	lint := golangci(t)
	from, err := golangciModule.Fetch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	source := t.TempDir()
	if err := os.CopyFS(source, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	makeRepository(t, source, golangciModule.Version)
	w := newWorld(t, map[string]string{"https://github.com/golangci/golangci-lint.git": source})
	if err := os.Symlink(lint, filepath.Join(w.bin, "golangci-lint")); err != nil {
		t.Fatal(err)
	}
	w.must(t, 0, app(t), docInstall(t))
	dir := app(t)
	write(t, filepath.Join(dir, ".custom-gcl.yml"), []byte(w.released(docBlock(t, "golangci-lint", "yaml", 0))))
	write(t, filepath.Join(dir, ".golangci.yml"), []byte(docBlock(t, "golangci-lint", "yaml", 1)))
	for i, schema := range []string{"custom-gcl.jsonschema.json", "golangci.jsonschema.json"} {
		var file any
		if err := yaml.Unmarshal([]byte(docBlock(t, "golangci-lint", "yaml", i)), &file); err != nil {
			t.Fatal(err)
		}
		if err := validator(t, filepath.Join(from, "jsonschema", schema)).Validate(file); err != nil {
			t.Errorf("against golangci-lint's %s: %v", schema, err)
		}
	}
	out := w.must(t, 1, dir, docBlock(t, "golangci-lint", "", 0))
	for _, want := range []string{strings.TrimSuffix(lossAt, " (GM102)"), fmt.Sprintf("device/device.go:%d:5", poolLine), "(gpumemlint)"} {
		if want = strings.Replace(want, ":5: device memory", ":5: leak: device memory", 1); !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	// An unknown key must stop the run, not be passed over.
	config := strings.Replace(docBlock(t, "golangci-lint", "yaml", 1), "tier: likely", "teir: likely", 1)
	write(t, filepath.Join(dir, ".golangci.yml"), []byte(config))
	if status, out := w.sh(t, dir, "./custom-gcl run ./..."); status == 0 || !strings.Contains(out, `unknown field "teir"`) {
		t.Errorf("an unknown key: status %d and:\n%s", status, out)
	}
}

// docInstall is the command that installs gpumemlint.
func docInstall(t *testing.T) string {
	t.Helper()
	line, _, _ := strings.Cut(docBlock(t, "Alone", "", 0), "\n")
	if !strings.HasPrefix(line, "go install ") {
		t.Fatalf("the first command is %q, want go install", line)
	}
	return line
}
