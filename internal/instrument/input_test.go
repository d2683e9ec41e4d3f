// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestBadInput gives Build what it cannot use, beside what it can.
func TestBadInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/bad\n\ngo 1.21\n")
	files := map[string]string{
		"good/a.go":          "package good\n\nfunc F() int { return 1 }\n",
		"good/a_test.go":     "package good\n\nimport \"testing\"\n\nfunc TestF(*testing.T) { F() }\n",
		"none/a.go":          "package none\n",
		"broken/a.go":        "package broken\n\nvar x int = \"a\"\n",
		"broken/a_test.go":   "package broken\n",
		"badtest/a.go":       "package badtest\n",
		"badtest/a_test.go":  "package badtest\n\nfunc f() { return 1 }\n",
		"syntax/a.go":        "package syntax\n\nfunc {\n",
		"syntax/a_test.go":   "package syntax\n",
		"missing/a.go":       "package missing\n\nimport _ \"example.com/nowhere\"\n",
		"missing/a_test.go":  "package missing\n",
		"imports/a.go":       "package imports\n\nimport _ \"example.com/bad/broken\"\n",
		"imports/a_test.go":  "package imports\n",
		"external/a.go":      "package external\n",
		"external/a_test.go": "package external_test\n\nvar _ = undefined\n",
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	w := build(t, Plan{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off"), Patterns: []string{"./..."}})
	want := map[string]string{
		"good":     "",
		"none":     "has no tests",
		"broken":   "does not compile: broken/a.go:3:13: cannot use \"a\"",
		"badtest":  "does not compile: badtest/a_test.go:3:19: too many return values",
		"syntax":   "does not compile: syntax/a.go:3:6: syntax error",
		"missing":  "cannot be loaded: ",
		"imports":  "does not compile: it imports example.com/bad/broken",
		"external": "does not compile: external/a_test.go:3:9: undefined: undefined",
	}
	if len(w.Packages) != len(want) {
		t.Errorf("%d packages %+v, want %d", len(w.Packages), w.Packages, len(want))
	}
	for _, p := range w.Packages {
		name := filepath.Base(p.Path)
		text := strings.ReplaceAll(p.Problem, "./", "")
		if prefix := want[name]; !strings.HasPrefix(text, prefix) || (prefix == "") != (text == "") {
			t.Errorf("%s: %q, want it to begin with %q", name, p.Problem, prefix)
		}
		if strings.ContainsAny(p.Problem, "\n\t") {
			t.Errorf("%s: %q is more than a line", name, p.Problem)
		}
	}
}

func TestNoModule(t *testing.T) {
	t.Parallel()
	env := append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off")
	for name, c := range map[string]struct {
		files    map[string]string
		patterns []string
		want     string
	}{
		"no module":  {map[string]string{"a.go": "package a\n"}, nil, "not inside a Go module"},
		"no package": {map[string]string{"go.mod": "module m\n"}, []string{"./nothing"}, "match no package"},
		"bad go.mod": {map[string]string{"go.mod": "modul m\n", "a.go": "package a\n"}, nil, "unknown directive: modul"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range c.files {
				write(t, filepath.Join(dir, file), text)
			}
			_, err := Build(context.Background(), Plan{Dir: dir, Env: env, Patterns: c.patterns})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, c.want)
			}
		})
	}
}

// A shortLived context ends when it has been asked so often.
type shortLived struct {
	context.Context
	left atomic.Int64
}

func (c *shortLived) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterrupt ends Build at several moments; none leaves anything behind.
func TestInterrupt(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dir := t.TempDir()
	unpack(t, "hard.txtar", dir)
	for _, asked := range []int64{0, 1, 4, 6} {
		ctx := &shortLived{Context: context.Background()}
		ctx.left.Store(asked)
		w, err := Build(ctx, Plan{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS="), Patterns: []string{"./..."}})
		if err == nil {
			w.Close()
			t.Fatalf("asked %d times: Build went on to its end", asked)
		}
		left, err := filepath.Glob(filepath.Join(temp, "gpumemlint-*"))
		if err != nil || len(left) > 0 {
			t.Errorf("asked %d times: left behind %v, %v", asked, left, err)
		}
	}
}
