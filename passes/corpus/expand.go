// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/gpumemlint/gpumemlint/rules"
)

// Idioms are the columns of the matrix; each is testdata/matrix/idioms/NAME.txtar.
var Idioms = []string{"ort", "cuda", "cudrv", "nvml", "gocv", "gotch", "capi"}

// stdImports are the imports of every expanded file. common.txtar uses each of
// them once, so no pattern has to care.
const stdImports = `
import (
	"bufio"
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)
`

const helperImports = `
import (
	"fmt"
	"io"
	"iter"
	"os"
	"unsafe"
)
`

// macroCall matches $name and $name(argument), where the argument may hold one
// level of parentheses.
var macroCall = regexp.MustCompile(`\$(\w+)(?:\(((?:[^()]|\([^()]*\))*)\))?`)

// An Idiom is one way to acquire and to release, as macros.
type Idiom struct {
	Name    string
	macros  map[string]string
	pkg     string // declarations of the pattern package
	helper  string // declarations of the helper package, if it has one
	comment string
}

// Expand writes the matrix for one idiom below gopath/src/matrix/NAME and
// returns the import paths of the packages written. dir is testdata/matrix.
func Expand(dir, name, gopath string) ([]string, error) {
	idiom, err := readIdiom(filepath.Join(dir, "idioms", name+".txtar"))
	if err != nil {
		return nil, err
	}
	common, err := txtar.ParseFile(filepath.Join(dir, "common.txtar"))
	if err != nil {
		return nil, err
	}
	header, err := os.ReadFile(filepath.Join(dir, "cuda_fake.h"))
	if err != nil {
		return nil, err
	}

	body, err := idiom.patterns(filepath.Join(dir, "patterns"))
	if err != nil {
		return nil, err
	}
	path := "matrix/" + name
	out := filepath.Join(gopath, "src", "matrix", name)
	imports := stdImports
	if idiom.helper != "" {
		imports += fmt.Sprintf("\nimport %q\n", path+"/helper")
	}
	src := join(imports, idiom.pkg, file(common, "package.go"), body)
	if err := idiom.write(filepath.Join(out, "patterns.go"), src); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(out, "cuda_fake.h"), header, 0o644); err != nil {
		return nil, err
	}
	paths := []string{path}
	if idiom.helper != "" {
		src := join(helperImports, idiom.helper, file(common, "helper.go"), "")
		if err := idiom.write(filepath.Join(out, "helper", "helper.go"), src); err != nil {
			return nil, err
		}
		paths = append(paths, path+"/helper")
	}
	return paths, nil
}

// readIdiom reads the macros of one idiom.
func readIdiom(path string) (*Idiom, error) {
	ar, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	id := &Idiom{
		Name:    strings.TrimSuffix(filepath.Base(path), ".txtar"),
		macros:  map[string]string{"nil": "nil", "var": "var $x $T"},
		pkg:     file(ar, "package.go"),
		helper:  file(ar, "helper.go"),
		comment: string(ar.Comment),
	}
	for _, f := range ar.Files {
		if !strings.HasSuffix(f.Name, ".go") {
			id.macros[f.Name] = strings.TrimSpace(string(f.Data))
		}
	}
	return id, nil
}

// patterns expands every pattern file into both twins.
func (id *Idiom) patterns(dir string) (string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return "", err
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			return "", err
		}
		for _, f := range ar.Files {
			text := string(f.Data)
			if id.helper == "" && strings.Contains(text, "helper.") {
				continue // the idiom's handle type cannot cross packages
			}
			if !id.has(f.Name) {
				continue
			}
			if strings.HasSuffix(f.Name, ".shared") {
				b.WriteString(text + "\n")
				continue
			}
			b.WriteString(twin(text, '-', "Wrong") + "\n")
			b.WriteString(twin(text, '+', "Right") + "\n")
		}
	}
	return b.String(), nil
}

// has reports whether an entry is about the idiom:
//
//	NAME!IDIOM,IDIOM	not in those, where the wrong twin is right
//	NAME=IDIOM,IDIOM	only in those, which alone have what it is about
func (id *Idiom) has(entry string) bool {
	entry = strings.TrimSuffix(entry, ".shared")
	if _, not, ok := strings.Cut(entry, "!"); ok {
		return !slices.Contains(strings.Split(not, ","), id.Name)
	}
	if _, only, ok := strings.Cut(entry, "="); ok {
		return slices.Contains(strings.Split(only, ","), id.Name)
	}
	return true
}

// patternRules maps the patterns of the files that name their rules to these:
// a line "rules: GM205" in front of the first entry. Of other patterns the
// wrong twin may be reported by any rule.
func patternRules(dir string) (map[string][]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			return nil, err
		}
		_, line, ok := strings.Cut(string(ar.Comment), "rules:")
		if !ok {
			continue
		}
		ids := strings.Fields(line)
		for _, id := range ids {
			if _, ok := rules.RuleByID(id); !ok {
				return nil, fmt.Errorf("%s: no rule %s: put known ones behind \"rules:\"", filepath.Base(name), id)
			}
		}
		for _, f := range ar.Files {
			out[strings.FieldsFunc(f.Name, func(c rune) bool { return c == '!' || c == '=' || c == '.' })[0]] = ids
		}
	}
	return out, nil
}

// twin keeps the common lines and those marked with mark, and puts name for @.
func twin(text string, mark byte, name string) string {
	var b strings.Builder
	for _, line := range strings.Split(text, "\n") {
		switch {
		case line == "":
		case line[0] == mark:
			line = line[1:]
		case line[0] == '-' || line[0] == '+':
			continue // the other twin's
		}
		b.WriteString(strings.ReplaceAll(line, "@", name) + "\n")
	}
	return b.String()
}

// write expands the macros in src, formats it and writes it to path.
func (id *Idiom) write(path, src string) error {
	for depth := 0; macroCall.MatchString(src); depth++ {
		if depth > 8 {
			return fmt.Errorf("%s: macro %s is unknown or expands to itself", path, macroCall.FindString(src))
		}
		src = macroCall.ReplaceAllStringFunc(src, func(call string) string {
			m := macroCall.FindStringSubmatch(call)
			text, ok := id.macros[m[1]]
			if !ok {
				return call
			}
			rest := ""
			if m[2] == "" && strings.HasSuffix(call, "()") {
				rest = "()" // a macro without arguments before a call
			}
			return strings.ReplaceAll(text, "$x", m[2]) + rest
		})
	}
	text, err := format.Source([]byte(src))
	if err != nil {
		return fmt.Errorf("%s: %v", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// join puts imports behind the package clause of pkg and appends the rest.
func join(imports, pkg, common, body string) string {
	clause, rest, _ := strings.Cut(pkg, "\n")
	return clause + "\n" + imports + rest + "\n" + common + "\n" + body
}

// file gives the text of one file of an archive, empty if it is not there.
func file(ar *txtar.Archive, name string) string {
	for _, f := range ar.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}
