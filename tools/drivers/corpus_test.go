// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/passes/corpus"
	"github.com/gpumemlint/gpumemlint/rules"
)

// corpusModule is the import path under which the corpus is laid out.
const corpusModule = "corpus.test"

// repository is the root of the checkout.
func repository(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// A tree is a module that holds everything which the repository keeps for
// linting: the examples, each pass's test data, the matrix, the rebuilt bugs
// and the traps. The stand-ins for the modelled libraries are modules of
// their own beside it, under their real import paths.
type tree struct {
	dir    string            // of the module
	models string            // the user's model file that the corpus needs
	libs   map[string]string // folders of the stand-ins by import path
	from   map[string]string // which folder an import path was copied from
}

// newTree lays the corpus out in a folder of the test's.
func newTree(t testing.TB) *tree { return newTrees(t)[0] }

// newTrees does so in as few modules as the stand-ins allow: passes may have
// ones of their own for the same library, and then need a module of their own.
// The first has everything else.
func newTrees(t testing.TB) []*tree {
	t.Helper()
	root := repository(t)
	base := t.TempDir()
	var trees []*tree
	add := func() *tree {
		c := &tree{
			dir:    filepath.Join(base, fmt.Sprint(len(trees)), "corpus"),
			models: filepath.Join(root, "testdata", "src", "bugs", "native", "models.gpumem"),
			libs:   map[string]string{}, from: map[string]string{},
		}
		trees = append(trees, c)
		return c
	}
	c := add()
	c.addGopath(t, filepath.Join(root, "testdata", "src"), "")
	gopath := filepath.Join(base, "matrix")
	for _, idiom := range corpus.Idioms {
		if _, err := corpus.Expand(filepath.Join(root, "testdata", "matrix"), idiom, gopath); err != nil {
			t.Fatal(err)
		}
	}
	c.addGopath(t, filepath.Join(gopath, "src"), "")
	c.copy(t, filepath.Join(root, "examples"), filepath.Join(c.dir, "examples"), map[string]string{
		"github.com/gpumemlint/gpumemlint/examples": corpusModule + "/examples",
	})
	c.copy(t, filepath.Join("testdata", "nolint"), filepath.Join(c.dir, "nolint"), nil)
	passes, err := filepath.Glob(filepath.Join(root, "passes", "*", "testdata", "src"))
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range passes {
		i := slices.IndexFunc(trees, func(c *tree) bool { return c.fits(t, src) })
		if i < 0 {
			add()
			i = len(trees) - 1
		}
		trees[i].addGopath(t, src, path.Join("passes", filepath.Base(filepath.Dir(filepath.Dir(src)))))
	}
	for _, c := range trees {
		c.writeModules(t, root)
	}
	return trees
}

// fits reports whether the stand-ins of a GOPATH are those of the tree, or new
// to it.
func (c *tree) fits(t testing.TB, src string) bool {
	t.Helper()
	for _, dir := range goDirs(t, src) {
		if old := c.from[dir]; old != "" && !sameFiles(t, old, filepath.Join(src, dir)) {
			return false
		}
	}
	return true
}

// addGopath adds the packages below src, a GOPATH's. Those of a modelled
// library keep their import path and become modules; all others go below
// prefix in the corpus.
func (c *tree) addGopath(t testing.TB, src, prefix string) {
	t.Helper()
	moved := map[string]string{}
	var ours, libs []string
	for _, dir := range goDirs(t, src) {
		if path := filepath.ToSlash(dir); isLibrary(path) {
			libs = append(libs, dir)
		} else {
			moved[path] = strings.TrimSuffix(corpusModule+"/"+prefix, "/") + "/" + path
			ours = append(ours, dir)
		}
	}
	for _, dir := range libs {
		from, to := filepath.Join(src, dir), filepath.Join(filepath.Dir(c.dir), "lib", dir)
		if c.from[dir] != "" {
			continue // the same: see fits
		}
		c.from[dir], c.libs[filepath.ToSlash(dir)] = from, to
		c.copyDir(t, from, to, moved)
	}
	for _, dir := range ours {
		c.copyDir(t, filepath.Join(src, dir), filepath.Join(c.dir, filepath.FromSlash(strings.TrimPrefix(moved[filepath.ToSlash(dir)], corpusModule+"/"))), moved)
	}
}

// isLibrary reports whether an import path is of a module that the built-in
// models speak of.
func isLibrary(path string) bool {
	for _, f := range rules.Default().Files() {
		for _, p := range f.Packages {
			if moduleOf(p.Path) == moduleOf(path) {
				return true
			}
		}
	}
	return false
}

// moduleOf names the module of a stand-in: the first two elements will do.
func moduleOf(importPath string) string {
	parts := strings.SplitN(importPath, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// goDirs returns the folders below src that hold Go files, relative to it.
func goDirs(t testing.TB, src string) []string {
	t.Helper()
	dirs := map[string]bool{}
	err := filepath.WalkDir(src, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(name) == ".go" {
			rel, _ := filepath.Rel(src, filepath.Dir(name))
			dirs[rel] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(dirs))
}

// copy copies a folder with what is below it.
func (c *tree) copy(t testing.TB, from, to string, moved map[string]string) {
	t.Helper()
	for _, dir := range goDirs(t, from) {
		c.copyDir(t, filepath.Join(from, dir), filepath.Join(to, dir), moved)
	}
}

// copyDir copies the files of one folder, with the imports of what has moved
// put right.
func (c *tree) copyDir(t testing.TB, from, to string, moved map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue // a folder of its own
		}
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(e.Name()) == ".go" {
			data = moveImports(t, e.Name(), data, moved)
		}
		write(t, filepath.Join(to, e.Name()), data)
	}
}

// moveImports puts the imports of a file right. An entry of moved holds for
// what is below it too.
func moveImports(t testing.TB, name string, src []byte, moved map[string]string) []byte {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range slices.Backward(f.Imports) { // from the end, so that offsets hold
		old := strings.Trim(spec.Path.Value, `"`)
		for from, to := range moved {
			rest, ok := strings.CutPrefix(old, from)
			if !ok || rest != "" && rest[0] != '/' {
				continue
			}
			at := fset.Position(spec.Path.Pos()).Offset
			src = slices.Concat(src[:at], []byte(`"`+to+rest+`"`), src[at+len(spec.Path.Value):])
			break
		}
	}
	return src
}

func sameFiles(t testing.TB, a, b string) bool {
	t.Helper()
	read := func(dir string) map[string]string {
		files := map[string]string{}
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(name)] = string(data)
		}
		return files
	}
	return maps.Equal(read(a), read(b))
}

// writeModules writes the go.mod files.
func (c *tree) writeModules(t testing.TB, root string) {
	t.Helper()
	modules := map[string]bool{}
	for path := range c.libs {
		modules[moduleOf(path)] = true
	}
	var mod bytes.Buffer
	fmt.Fprintf(&mod, "module %s\n\ngo 1.25.0\n", corpusModule)
	require := func(path, dir string) {
		fmt.Fprintf(&mod, "\nrequire %s v0.0.0\n\nreplace %s => %s\n", path, path, dir)
	}
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		dir := filepath.Join(filepath.Dir(c.dir), "lib", filepath.FromSlash(path))
		write(t, filepath.Join(dir, "go.mod"), fmt.Appendf(nil, "module %s\n\ngo 1.25.0\n", path))
		require(path, dir)
	}
	require("github.com/gpumemlint/gpumemlint", root) // an example may use the runtime companion
	write(t, filepath.Join(c.dir, "go.mod"), mod.Bytes())
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(c.dir, "go.sum"), sum)
	tidy := exec.Command("go", "mod", "tidy")
	tidy.Dir, tidy.Env = c.dir, c.env()
	if out, err := tidy.CombinedOutput(); err != nil {
		t.Fatalf("go mod tidy in the corpus: %v\n%s", err, out)
	}
}

// shareDir is a folder for what several tests use and none should build twice.
// Its name is the same in every run, so that the linker's output is reused too.
func shareDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, "gpumemlint-drivers-test")
	return dir, os.MkdirAll(dir, 0o777)
}

// env is the environment in which drivers run on the corpus.
func (c *tree) env(more ...string) []string {
	return append(os.Environ(), append([]string{"PWD=" + c.dir, "GOWORK=off", "GOFLAGS=", "GO111MODULE=on", "CGO_ENABLED=1"}, more...)...)
}

// modelText is the text of the corpus's model file.
func (c *tree) modelText(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(c.models)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
