// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package patterns_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the snippets of docs/patterns.md")

// guide is the document that these examples are for.
var guide = filepath.Join("..", "..", "docs", "patterns.md")

// mechanisms is how many the two articles have.
const mechanisms = 48

// snippet is a code block of the guide, under the name of its example.
var snippet = regexp.MustCompile("(?s)<!-- (Example_\\w+) -->\n```go\n(.*?)```\n")

// TestSnippets compares every snippet of the guide with the example that it
// names: what the guide shows is what runs.
func TestSnippets(t *testing.T) {
	text := readGuide(t)
	bodies := exampleBodies(t)
	n := 0
	changed := snippet.ReplaceAllStringFunc(text, func(s string) string {
		n++
		m := snippet.FindStringSubmatch(s)
		body, ok := bodies[m[1]]
		if !ok {
			t.Errorf("no example %s", m[1])
			return s
		}
		if m[2] != body && !*update {
			t.Errorf("the snippet of %s is not its body; go test -update ./runtime/patterns rewrites it", m[1])
		}
		return "<!-- " + m[1] + " -->\n```go\n" + body + "```\n"
	})
	if blocks := strings.Count(text, "```go\n"); n != blocks || n < 10 {
		t.Errorf("%d snippets name an example, of %d", n, blocks)
	}
	if *update && changed != text {
		if err := os.WriteFile(guide, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readGuide(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// exampleBodies gives the bodies of this package's examples without their
// indentation.
func exampleBodies(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(fn.Name.Name, "Example_") {
				continue
			}
			body := string(src[fset.Position(fn.Body.Lbrace).Offset+2 : fset.Position(fn.Body.Rbrace).Offset])
			var b strings.Builder
			for line := range strings.Lines(body) {
				b.WriteString(strings.TrimPrefix(line, "\t"))
			}
			out[fn.Name.Name] = b.String()
		}
	}
	return out
}

// row is a line of the guide's tables.
var row = regexp.MustCompile(`(?m)^\| (\d+) \|(.*)\|$`)

var (
	link = regexp.MustCompile(`\[(\w+)\]\((\.\./\S+_test\.go)\)`)
	rule = regexp.MustCompile(`\[(GM\d\d\d)\]\((rules/GM\d\d\d\.md)\)`)
)

// TestEveryMechanism checks the tables: a row for each mechanism, in order, with
// the parts of the articles it is from, and an example or test that exists, has
// an output to compare with, and lies where the link says.
func TestEveryMechanism(t *testing.T) {
	rows := row.FindAllStringSubmatch(readGuide(t), -1)
	if len(rows) != mechanisms {
		t.Errorf("%d rows, want %d", len(rows), mechanisms)
	}
	for i, r := range rows {
		if n, _ := strconv.Atoi(r[1]); n != i+1 {
			t.Errorf("row %s, want %d", r[1], i+1)
		}
		cells := strings.Split(r[2], " | ")
		if len(cells) != 5 {
			t.Errorf("row %s has %d cells, want mechanism, mistake, rule, runtime and example", r[1], len(cells))
			continue
		}
		if !regexp.MustCompile(`\((A|B)[ \w.,]*\)`).MatchString(cells[0]) {
			t.Errorf("row %s does not say where the articles have it: %q", r[1], cells[0])
		}
		for k, c := range cells {
			if strings.TrimSpace(c) == "" {
				t.Errorf("row %s: cell %d is empty; write – for nothing", r[1], k+1)
			}
		}
		for _, m := range rule.FindAllStringSubmatch(cells[2], -1) {
			if m[2] != "rules/"+m[1]+".md" {
				t.Errorf("row %s: %s links to %s", r[1], m[1], m[2])
			}
			if _, err := os.Stat(filepath.Join("..", "..", "docs", filepath.FromSlash(m[2]))); err != nil {
				t.Errorf("row %s: %v", r[1], err)
			}
		}
		if strings.Count(cells[2], "GM") != 2*len(rule.FindAllString(cells[2], -1)) {
			t.Errorf("row %s: a rule without a link: %q", r[1], cells[2])
		}
		links := link.FindAllStringSubmatch(cells[4], -1)
		if len(links) == 0 {
			t.Errorf("row %s links to no example: %q", r[1], cells[4])
		}
		for _, l := range links {
			if err := checkExample(filepath.Join("..", "..", "docs", filepath.FromSlash(l[2])), l[1]); err != nil {
				t.Errorf("row %s: %v", r[1], err)
			}
		}
	}
}

// checkExample finds a function that go test runs.
func checkExample(file, name string) error {
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, d := range parsed.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != name {
			continue
		}
		body := string(src[fset.Position(fn.Body.Lbrace).Offset:fset.Position(fn.Body.Rbrace).Offset])
		if strings.HasPrefix(name, "Example") && !strings.Contains(body, "// Output:") && !strings.Contains(body, "// Unordered output:") {
			return fmt.Errorf("%s: %s has no output, so it does not run", file, name)
		}
		return nil
	}
	return fmt.Errorf("%s: no function %s", file, name)
}
