// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemlint_test

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint"
	"github.com/gpumemlint/gpumemlint/rules"
)

// The rules of the house that a machine can check. docs/developing.md has
// them in prose, with the reasons.

const modulePath = "github.com/gpumemlint/gpumemlint"

// Every file's first two lines.
const (
	copyrightLine = "// Copyright 2026 The gpumemlint Authors"
	licenceLine   = "// SPDX-License-Identifier: Apache-2.0"
)

// maxLines is where a file should be split. Going over it is a warning, since
// a table may well be longer.
const maxLines = 500

func TestPolicyHeaders(t *testing.T) {
	for _, name := range repoFiles(t, ".go") {
		if inTestdata(name) {
			continue // inputs of tests: their line numbers are part of what they test
		}
		lines := strings.SplitN(string(read(t, name)), "\n", 3)
		if len(lines) < 3 || lines[0] != copyrightLine || lines[1] != licenceLine {
			t.Errorf("%s: does not begin with the two header lines; put %q and %q first", name, copyrightLine, licenceLine)
		}
	}
}

func TestPolicyFileSize(t *testing.T) {
	for _, name := range repoFiles(t, ".go") {
		if inTestdata(name) {
			continue
		}
		if n := bytes.Count(read(t, name), []byte("\n")); n > maxLines {
			t.Logf("warning: %s has %d lines; consider splitting it (more than %d)", name, n, maxLines)
		}
	}
}

// exits lists the functions that may end the process although they are in no
// command, with the reason.
var exits = map[string]string{
	"runtime/gpumemtest VerifyTestMain": "a TestMain must exit with the tests' status",
}

// TestPolicyForbidden keeps init, panic, log.Fatal and os.Exit to commands and
// to the plugin: golangci-lint refuses a linter that has them, and a library
// has no business ending its user's process.
func TestPolicyForbidden(t *testing.T) {
	for _, name := range repoFiles(t, ".go") {
		if inTestdata(name) || strings.HasSuffix(name, "_test.go") || under(name, "cmd", "gclplugin", "tools", "examples") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: does not parse: %v", name, err)
			continue
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				checkForbidden(t, fset, decl, "")
				continue
			}
			if fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: func init; set the value where it is declared, or let the caller ask for it", fset.Position(fn.Pos()))
			}
			checkForbidden(t, fset, decl, path.Dir(name)+" "+fn.Name.Name)
		}
	}
}

func checkForbidden(t *testing.T, fset *token.FileSet, decl ast.Node, function string) {
	t.Helper()
	ast.Inspect(decl, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			if fun.Name == "panic" {
				t.Errorf("%s: panic; return an error", fset.Position(call.Pos()))
			}
		case *ast.SelectorExpr:
			pkg, ok := fun.X.(*ast.Ident)
			if !ok {
				return true
			}
			fatal := pkg.Name == "log" && (strings.HasPrefix(fun.Sel.Name, "Fatal") || strings.HasPrefix(fun.Sel.Name, "Panic"))
			exit := pkg.Name == "os" && fun.Sel.Name == "Exit" && exits[function] == ""
			if fatal || exit {
				t.Errorf("%s: %s.%s outside a command; return an error", fset.Position(call.Pos()), pkg.Name, fun.Sel.Name)
			}
		}
		return true
	})
}

// TestPolicyModule pins what golangci-lint and nogo ask of the product's
// module: an older go line and the newest x/tools that allows it.
func TestPolicyModule(t *testing.T) {
	mod := "\n" + string(read(t, "go.mod"))
	for _, want := range []string{"\nmodule " + modulePath + "\n", "\ngo 1.25.0\n", "golang.org/x/tools v0.49.0"} {
		if !strings.Contains(mod, want) {
			t.Errorf("go.mod: no %q; golangci-lint accepts no newer go line, and no newer x/tools keeps it", strings.TrimSpace(want))
		}
	}
	for _, bad := range []string{"\ntoolchain ", "\nreplace ", "\nexclude "} {
		if strings.Contains(mod, bad) {
			t.Errorf("go.mod: has a %q line; `go install %s/cmd/gpumemlint@latest` refuses or ignores it", strings.TrimSpace(bad), modulePath)
		}
	}
}

// machinePath matches absolute paths of somebody's machine. They make a
// document wrong for everybody else and a test pass on one machine only.
var machinePath = regexp.MustCompile(`(^|[\s"'` + "`" + `(=:])/(root|home/[a-z]{2,}|Users/[A-Za-z]+|work/[a-z]+|tmp/[a-z]+)/`)

func TestPolicyNoMachinePaths(t *testing.T) {
	for _, name := range repoFiles(t, ".go", ".md", ".txtar", ".yaml", ".yml", ".json", ".stub", ".h", ".mod", "Makefile", "run") {
		if name == "policy_test.go" {
			continue // states the pattern
		}
		sc := bufio.NewScanner(bytes.NewReader(read(t, name)))
		sc.Buffer(nil, 64<<20) // a snapshot in testdata may be one long line
		for line := 1; sc.Scan(); line++ {
			if m := machinePath.FindString(sc.Text()); m != "" {
				t.Errorf("%s:%d: path of a machine %q; make it relative", name, line, m)
			}
		}
		if err := sc.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// layers says what the packages of a folder must not import. Dependencies go
// downwards only: cmd, output and passes, internal/ownership, rules.
var layers = []struct {
	folder string
	banned []string
	reason string
}{
	{"rules", []string{"internal/ownership", "passes", "cmd", "internal/output", "runtime"}, "a model is data"},
	{"internal/ownership", []string{"passes", "cmd", "internal/output", "runtime"}, "the engine knows neither the rules' words nor a format"},
	{"passes", []string{"cmd", "internal/output", "runtime"}, "a pass knows no output format"},
	{"internal/output", []string{"internal/ownership", "internal/lazyssa", "passes", "cmd", "runtime"}, "an output knows no SSA"},
	{"runtime", []string{"rules", "internal", "passes", "cmd", ""}, "the runtime companion never imports the linter"},
}

func TestPolicyLayers(t *testing.T) {
	for _, name := range repoFiles(t, ".go") {
		if inTestdata(name) || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			continue // reported by TestPolicyForbidden
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue // does not parse: as above
			}
			inner, ours := strings.CutPrefix(imported+"/", modulePath+"/")
			if !ours {
				continue
			}
			inner = strings.TrimSuffix(inner, "/")
			for _, layer := range layers {
				if !under(name, layer.folder) {
					continue
				}
				for _, banned := range layer.banned {
					// The empty entry is the module's root package.
					if inner == banned || banned != "" && strings.HasPrefix(inner, banned+"/") {
						t.Errorf("%s: imports %s: %s", name, imported, layer.reason)
					}
				}
			}
		}
	}
}

// TestPolicyRules checks that a rule is complete: a pass in its own folder with
// doc, test and data of all three kinds, a page, and a place in the list that
// the drivers use.
func TestPolicyRules(t *testing.T) {
	listed := map[string]bool{}
	for _, a := range gpumemlint.Analyzers() {
		listed[a.Name] = true
	}
	delete(listed, "ownership") // the engine, which reports no rule
	for _, rule := range rules.Catalog() {
		if rule.Planned {
			if listed[rule.Pass] {
				t.Errorf("%s: marked as planned, but pass %s is there", rule.ID, rule.Pass)
			}
			continue
		}
		if !listed[rule.Pass] {
			t.Errorf("%s: pass %s is not in gpumemlint.Analyzers", rule.ID, rule.Pass)
		}
		delete(listed, rule.Pass)
		folder := "passes/" + rule.Pass + "/"
		for _, name := range []string{
			folder + rule.Pass + ".go",
			folder + "doc.go",
			folder + rule.Pass + "_test.go",
			folder + "testdata/src/suppressed",
			"docs/rules/" + rule.ID + ".md",
		} {
			if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
				t.Errorf("%s: %v; CONTRIBUTING.md says what a rule needs", rule.ID, err)
			}
		}
		checkTwins(t, rule.ID, folder+"testdata/src/")
		if doc, err := os.ReadFile(filepath.FromSlash(folder + "doc.go")); err == nil {
			for _, want := range []string{rule.ID, "# Not reported"} {
				if !bytes.Contains(doc, []byte(want)) {
					t.Errorf("%sdoc.go: does not say %q", folder, want)
				}
			}
		}
	}
	for name := range listed {
		t.Errorf("pass %s has no rule in the catalogue", name)
	}
}

// checkTwins checks that a pass is tested on wrong code and on its correct
// look-alike: in packages wrong and right, or side by side in packages that are
// named by situation.
func checkTwins(t *testing.T, id, folder string) {
	t.Helper()
	wants, funcs := 0, 0
	for _, name := range repoFiles(t, ".go") {
		if !strings.HasPrefix(name, folder) || strings.HasPrefix(name, folder+"example.com/") || strings.HasPrefix(name, folder+"suppressed/") {
			continue
		}
		src, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		wants += bytes.Count(src, []byte("// want "))
		funcs += bytes.Count(src, []byte("\nfunc "))
	}
	if wants == 0 || funcs <= wants {
		t.Errorf("%s: %s has %d functions and %d wanted findings; each wrong form needs a correct one beside it", id, folder, funcs, wants)
	}
}

// repoFiles returns the slash-separated names of the repository's files that
// end in one of the suffixes, in lexical order. Build outputs and nested
// checkouts are left out.
func repoFiles(t *testing.T, suffixes ...string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			switch entry.Name() {
			case ".git", "bin", "dist", "node_modules":
				return filepath.SkipDir
			}
			return nil
		}
		for _, suffix := range suffixes {
			if strings.HasSuffix(name, suffix) && entry.Type().IsRegular() {
				names = append(names, filepath.ToSlash(name))
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("list the repository's files: %v", err)
	}
	if len(names) == 0 {
		t.Fatalf("no file ends in %v: the test does not run in the module's root", suffixes)
	}
	return names
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func under(name string, folders ...string) bool {
	for _, folder := range folders {
		if strings.HasPrefix(name, folder+"/") {
			return true
		}
	}
	return false
}

func inTestdata(name string) bool {
	return strings.HasPrefix(name, "testdata/") || strings.Contains(name, "/testdata/")
}
