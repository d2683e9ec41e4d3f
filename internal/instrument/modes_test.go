// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	modver "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
	"golang.org/x/tools/txtar"

	ledger "github.com/gpumemlint/gpumemlint/runtime/track"
)

// unpack writes the files of an archive into dir.
func unpack(t *testing.T, name, dir string) {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := writeFile(name, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

const (
	libraryPath    = "github.com/yalue/onnxruntime_go"
	libraryVersion = "v1.27.0"
)

// proxy makes a module proxy on disk that has the library, and returns the
// environment to use it with a module cache of its own.
func proxy(t *testing.T) []string {
	t.Helper()
	root := t.TempDir()
	lib := filepath.Join(root, "lib")
	unpack(t, "library.txtar", lib)
	at := filepath.Join(root, "proxy", filepath.FromSlash(libraryPath), "@v")
	mod, err := os.ReadFile(filepath.Join(lib, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(at, libraryVersion+".mod"), string(mod))
	write(t, filepath.Join(at, libraryVersion+".info"), `{"Version":"`+libraryVersion+`"}`)
	write(t, filepath.Join(at, "list"), libraryVersion+"\n")
	z, err := os.Create(filepath.Join(at, libraryVersion+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(z, modver.Version{Path: libraryPath, Version: libraryVersion}, lib); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(root, "modcache")
	t.Cleanup(func() {
		filepath.WalkDir(cache, func(path string, d fs.DirEntry, err error) error { // is read-only
			if err == nil && d.IsDir() {
				os.Chmod(path, 0o700)
			}
			return nil
		})
	})
	return append(os.Environ(),
		"GOPROXY=file://"+filepath.ToSlash(filepath.Join(root, "proxy")), "GOSUMDB=off", "GOFLAGS=", "GOWORK=off",
		"GOMODCACHE="+cache)
}

func goCommand(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// hashes are those of all files below a folder.
func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		list[path] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// lineWith is the line of the first text in a file, from 1.
func lineWith(t *testing.T, name, text string) int {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(data), text)
	if !ok {
		t.Fatalf("%s: no %q", name, text)
	}
	return 1 + strings.Count(before, "\n")
}

// A run is what a test run of a workspace has left.
type run struct {
	records []ledger.Record
	output  string
}

// test of a name.
func (r run) test(t *testing.T, name string) ledger.Record {
	t.Helper()
	for _, rec := range r.records {
		if rec.Kind == ledger.KindTest && rec.Test == name {
			return rec
		}
	}
	t.Fatalf("no record of %s in %+v\n%s", name, r.records, r.output)
	return ledger.Record{}
}

func (r run) kind(kind string) (list []ledger.Record) {
	for _, rec := range r.records {
		if rec.Kind == kind {
			list = append(list, rec)
		}
	}
	return list
}

// A program is the compiled tests of one package of a workspace.
type program struct {
	w    *Workspace
	name string
}

// compile builds the tests of the package in the plan's directory, once for all runs.
func compile(t *testing.T, w *Workspace) program {
	t.Helper()
	p := program{w, filepath.Join(t.TempDir(), "p.test")}
	cmd := exec.Command("go", slices.Concat([]string{"test", "-c", "-o", p.name}, w.Args(), []string{"."})...)
	cmd.Dir, cmd.Env = w.Dir(), w.Env("", "")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	return p
}

// run runs tests. That they fail is no error if a call is made to.
func (p program) run(t *testing.T, inject string, args ...string) run {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(p.name, args...)
	cmd.Dir, cmd.Env = p.w.Dir(), p.w.Env(dir, inject)
	out, err := cmd.CombinedOutput()
	records, readErr := ledger.Read(dir)
	if readErr != nil {
		t.Fatal(readErr)
	}
	if inject == "" && err != nil {
		t.Fatalf("the tests: %v\n%s", err, out)
	}
	return run{records, string(out)}
}

func build(t *testing.T, plan Plan) *Workspace {
	t.Helper()
	w, err := Build(context.Background(), plan)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(w.dir); !os.IsNotExist(err) {
			t.Errorf("the temporary folder is still there: %v", err)
		}
	})
	return w
}

// TestModes instruments one library wherever the go command may find it, and
// checks that the user's files and the module cache stay as they are.
func TestModes(t *testing.T) {
	modes := []struct {
		name  string
		setup func(t *testing.T, dir string, env []string) []string
	}{
		{"module cache", func(t *testing.T, dir string, env []string) []string {
			return append(env, "GOFLAGS=-mod=mod")
		}},
		{"vendor", func(t *testing.T, dir string, env []string) []string {
			goCommand(t, dir, env, "mod", "vendor")
			return append(env, "GOMODCACHE="+filepath.Join(dir, "none"), "GOPROXY=off")
		}},
		{"replace", func(t *testing.T, dir string, env []string) []string {
			unpack(t, "library.txtar", filepath.Join(dir, "third", "ort"))
			goCommand(t, dir, env, "mod", "edit", "-replace", libraryPath+"=./third/ort")
			return append(env, "GOPROXY=off")
		}},
		{"workspace", func(t *testing.T, dir string, env []string) []string {
			write(t, filepath.Join(dir, "tool", "go.mod"), "module example.com/tool\n\ngo 1.21\n")
			write(t, filepath.Join(dir, "tool", "tool.go"), "package tool\n")
			write(t, filepath.Join(dir, "go.work"), "go 1.21\n\nuse (\n\t.\n\t./tool\n)\n")
			return append(env, "GOWORK=")
		}},
		{"a go.mod and an overlay of the user's own", func(t *testing.T, dir string, env []string) []string {
			for _, ext := range []string{".mod", ".sum"} {
				if err := os.Rename(filepath.Join(dir, "go"+ext), filepath.Join(dir, "alt"+ext)); err != nil {
					t.Fatal(err)
				}
			}
			write(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.21\n")
			// The overlay brings a file that is not there, and one that replaces another.
			write(t, filepath.Join(dir, "over", "more.go"), "package app\n\nfunc init() { fromOverlay = true }\n")
			write(t, filepath.Join(dir, "over", "flag.go"), "package app\n\nvar fromOverlay bool\n\nfunc loop() {\n\tfor range \"ab\" {\n\t\tloop2()\n\t}\n}\n\nfunc loop2() {}\n")
			write(t, filepath.Join(dir, "flag.go"), "package app\n\nvar broken int = \"\"\n")
			write(t, filepath.Join(dir, "over", "overlay.json"), fmt.Sprintf(`{"Replace":{%q:"over/more.go",%q:"over/flag.go"}}`, filepath.Join(dir, "more.go"), filepath.Join(dir, "flag.go")))
			return append(env, "GOFLAGS=-modfile=alt.mod -overlay=over/overlay.json")
		}},
	}
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			env := proxy(t)
			dir := t.TempDir()
			unpack(t, "app.txtar", dir)
			goCommand(t, dir, env, "mod", "tidy")
			env = mode.setup(t, dir, env)
			goCommand(t, dir, env, "list", "./...") // fills the module cache
			modcache := modCache(env)
			before, cacheBefore := hashes(t, dir), hashes(t, modcache)
			app := filepath.Join(dir, "app.go")
			w := build(t, Plan{Dir: dir, Env: env, Patterns: []string{"."}, Injections: []Injection{
				{ID: "bad", File: "app.go", Line: lineWith(t, app, "// fails: OpenBad")},
				{ID: "good", File: app, Line: lineWith(t, app, "// fails: OpenGood"), Callee: "NewDynamicAdvancedSession"},
				{ID: "none", File: "app.go", Line: 1},
			}})
			if len(w.Skipped) != 1 || w.Skipped["none"] == "" {
				t.Errorf("skipped %v, want only none", w.Skipped)
			}
			p := compile(t, w)
			checkPlain(t, w, p.run(t, ""), app)
			checkInjected(t, p.run(t, "bad", "-test.run=TestOpenBad"), p.run(t, "good", "-test.run=TestOpenGood"))
			sameFiles(t, before, hashes(t, dir))
			sameFiles(t, cacheBefore, hashes(t, modcache))
		})
	}
}

func modCache(env []string) string {
	dir := ""
	for _, s := range env {
		if v, ok := strings.CutPrefix(s, "GOMODCACHE="); ok {
			dir = v
		}
	}
	if _, err := os.Stat(dir); err != nil {
		os.MkdirAll(dir, 0o777)
	}
	return dir
}

func sameFiles(t *testing.T, before, after map[string]string) {
	t.Helper()
	for name, hash := range after {
		if before[name] != hash {
			t.Errorf("%s was written", name)
		}
	}
	for name := range before {
		if after[name] == "" {
			t.Errorf("%s is gone", name)
		}
	}
}

func checkPlain(t *testing.T, w *Workspace, r run, app string) {
	t.Helper()
	for _, name := range []string{"TestOpenBad", "TestOpenGood"} {
		rec := r.test(t, name)
		if len(rec.Live) != 0 || len(rec.Sites) != 2 {
			t.Errorf("%s: sites %+v, live %+v, want two sites and nothing live", name, rec.Sites, rec.Live)
		}
	}
	grow := r.test(t, "TestGrow")
	if len(grow.Live) != 20 || len(grow.Loops) != 1 || len(grow.Loops[0].Series) != 1 {
		t.Fatalf("TestGrow: %d live, loops %+v, want 20 and one series", len(grow.Live), grow.Loops)
	}
	for _, p := range grow.Loops[0].Series[0].Points {
		if p[0] != p[1] {
			t.Errorf("TestGrow: point %v, want as many as iterations", p)
		}
	}
	stack := grow.Sites[0].Stack
	i := slices.IndexFunc(stack, func(f ledger.Frame) bool { return !f.Library })
	if i != 1 || stack[i].File != app || stack[i].Line != lineWith(t, app, "ort.NewEmptyTensor[int64]") {
		t.Errorf("TestGrow: stack %+v, want the library's frame and then its caller", stack)
	}
	if file := w.Original(stack[0].File); filepath.Base(file) != "ort.go" || strings.HasPrefix(file, w.dir) {
		t.Errorf("the library's file is called %s, want its name where the user has it", file)
	}
	misuse := r.kind(ledger.KindMisuse)
	if len(misuse) != 1 || misuse[0].Misuse != ledger.UseAfterRelease || misuse[0].Test != "TestTwice" {
		t.Errorf("misuse %+v, want one use after release", misuse)
	}
}

func checkInjected(t *testing.T, bad, good run) {
	t.Helper()
	for name, r := range map[string]run{"TestOpenBad": bad, "TestOpenGood": good} {
		if list := r.kind(ledger.KindInject); len(list) != 1 || list[0].Test != name {
			t.Errorf("%s: injected %+v, want once", name, list)
		}
	}
	if rec := bad.test(t, "TestOpenBad"); !rec.Failed || len(rec.Live) != 1 || rec.Live[0].Class != "ort.tensor" {
		t.Errorf("TestOpenBad: failed %t, live %+v, want the tensor", rec.Failed, rec.Live)
	}
	if rec := good.test(t, "TestOpenGood"); !rec.Failed || len(rec.Live) != 0 {
		t.Errorf("TestOpenGood: failed %t, live %+v, want nothing", rec.Failed, rec.Live)
	}
}
