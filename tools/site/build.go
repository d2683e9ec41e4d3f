// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// source is where files that are no pages are read.
const source = "https://github.com/gpumemlint/gpumemlint/blob/main/"

// A page is one Markdown file of the repository.
type page struct {
	From  string // "docs/rules/GM101.md"
	To    string // "docs/rules/GM101.html"
	Title string // of the first heading
	Short string // in the list of pages
	Group string

	doc  ast.Node
	text []byte
}

// groups are the parts of the list of pages, in order.
var groups = []struct {
	name  string
	pages []string // "" stands for all others of docs/
}{
	{"Start", []string{"README.md", "docs/drivers.md", "docs/editors.md", "docs/proof.md", "docs/fixes.md"}},
	{"Rules", nil},
	{"Reference", []string{"docs/models.md", "docs/caveats.md", "docs/patterns.md", "docs/runtime.md"}},
	{"Figures", []string{"docs/real-world.md", "docs/performance-linter.md", "docs/performance.md"}},
	{"Project", []string{"CONTRIBUTING.md", "docs/developing.md", "docs/design.md", "CHANGELOG.md"}},
}

// shortNames are names that would not fit into the list of pages.
var shortNames = map[string]string{
	"README.md": "Overview", "docs/drivers.md": "Running it", "docs/editors.md": "Editors", "docs/proof.md": "Proof", "docs/fixes.md": "Fixes",
	"docs/models.md": "Models", "docs/caveats.md": "Caveats", "docs/patterns.md": "Patterns", "docs/runtime.md": "Runtime", "docs/real-world.md": "Real modules",
	"docs/performance-linter.md": "Linter speed", "docs/performance.md": "Runtime speed", "CONTRIBUTING.md": "Contributing", "docs/developing.md": "Developing",
	"docs/design.md": "Design", "CHANGELOG.md": "Changelog", "docs/rules/README.md": "All rules",
}

// build writes the site and returns how many pages it has.
func build(root, out string) (int, error) {
	pages, err := collect(root)
	if err != nil {
		return 0, err
	}
	to := map[string]string{}
	for _, p := range pages {
		to[p.From] = p.To
	}
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	for _, p := range pages {
		p.doc = md.Parser().Parse(text.NewReader(p.text))
		p.Title = firstHeading(p.doc, p.text)
		if p.Title == "" {
			return 0, fmt.Errorf("%s has no heading: a page needs a title", p.From)
		}
	}
	for _, p := range pages {
		if err := relink(p, root, out, to); err != nil {
			return 0, err
		}
		var body bytes.Buffer
		if err := md.Renderer().Render(&body, p.text, p.doc); err != nil {
			return 0, fmt.Errorf("render %s: %w", p.From, err)
		}
		if err := write(out, p, pages, body.String()); err != nil {
			return 0, err
		}
	}
	return len(pages), nil
}

// collect reads every page in the order of the list.
func collect(root string) ([]*page, error) {
	var pages []*page
	known := map[string]bool{}
	add := func(group, from string) error {
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(from)))
		if err != nil {
			return err
		}
		known[from] = true
		to := strings.TrimSuffix(from, ".md") + ".html"
		if path.Base(to) == "README.html" {
			to = path.Join(path.Dir(to), "index.html")
		}
		short := shortNames[from]
		if short == "" {
			short = strings.TrimSuffix(path.Base(from), ".md")
		}
		pages = append(pages, &page{From: from, To: to, Short: short, Group: group, text: b})
		return nil
	}
	for _, g := range groups {
		list := g.pages
		if g.name == "Rules" {
			rules, err := filepath.Glob(filepath.Join(root, "docs", "rules", "GM*.md"))
			if err != nil {
				return nil, err
			}
			sort.Strings(rules)
			list = []string{"docs/rules/README.md"}
			for _, r := range rules {
				list = append(list, "docs/rules/"+filepath.Base(r))
			}
		}
		for _, from := range list {
			if err := add(g.name, from); err != nil {
				return nil, err
			}
		}
	}
	others, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	for _, o := range others {
		if from := "docs/" + filepath.Base(o); !known[from] {
			return nil, fmt.Errorf("%s is in no group: add it to the list in tools/site/build.go", from)
		}
	}
	return pages, nil
}

func firstHeading(doc ast.Node, src []byte) string {
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 1 {
			var b strings.Builder
			ast.Walk(h, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
				if t, ok := n.(*ast.Text); ok && enter {
					b.Write(t.Segment.Value(src))
				}
				return ast.WalkContinue, nil
			})
			return b.String()
		}
	}
	return ""
}

// relink turns links to pages into links to their HTML, copies pictures, and
// sends links to other files to where the source is read.
func relink(p *page, root, out string, to map[string]string) error {
	return ast.Walk(p.doc, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if !enter {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			dest, err := target(p, string(n.Destination), root, to)
			if err != nil {
				return ast.WalkStop, err
			}
			n.Destination = []byte(dest)
		case *ast.Image:
			dest := string(n.Destination)
			if isURL(dest) {
				return ast.WalkStop, fmt.Errorf("%s: picture %s is on the network: pages must do without", p.From, dest)
			}
			file := path.Join(path.Dir(p.From), dest)
			if err := copyFile(root, out, file); err != nil {
				return ast.WalkStop, err
			}
		}
		return ast.WalkContinue, nil
	})
}

func isURL(dest string) bool {
	return strings.Contains(dest, "://") || strings.HasPrefix(dest, "mailto:")
}

func target(p *page, dest, root string, to map[string]string) (string, error) {
	if isURL(dest) || strings.HasPrefix(dest, "#") {
		return dest, nil
	}
	file, fragment, _ := strings.Cut(dest, "#")
	if fragment != "" {
		fragment = "#" + fragment
	}
	file = path.Join(path.Dir(p.From), file)
	if file == "docs/rules" {
		file = "docs/rules/README.md"
	}
	if html, ok := to[file]; ok {
		return relative(p.To, html) + fragment, nil
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
		return "", fmt.Errorf("%s links to %s, which is not there", p.From, dest)
	}
	return source + file + fragment, nil
}

// relative is the way from one page to another.
func relative(from, to string) string {
	up := strings.Repeat("../", strings.Count(from, "/"))
	return up + to
}

func copyFile(root, out, file string) error {
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(out, filepath.FromSlash(file)), b)
}

func writeFile(name string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, b, 0o644)
}

// An entry is one line of the list of pages.
type entry struct {
	Short, Title, Href string
	Here               bool
}

type section struct {
	Name    string
	Open    bool
	Entries []entry
}

// wideTable marks tables, which scroll by themselves on a narrow screen.
var wideTable = regexp.MustCompile(`(?s)<table>.*?</table>`)

func write(out string, p *page, pages []*page, body string) error {
	body = wideTable.ReplaceAllStringFunc(body, func(t string) string {
		return `<div class="wide" tabindex="0" role="region" aria-label="table">` + t + `</div>`
	})
	var list []section
	for _, q := range pages {
		if len(list) == 0 || list[len(list)-1].Name != q.Group {
			list = append(list, section{Name: q.Group})
		}
		s := &list[len(list)-1]
		s.Entries = append(s.Entries, entry{Short: q.Short, Title: q.Title, Href: relative(p.To, q.To), Here: p == q})
		s.Open = s.Open || p == q
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, map[string]any{
		"Title": p.Title, "Home": relative(p.To, "index.html"), "List": list,
		"Body": template.HTML(body), "Source": source + p.From,
	})
	if err != nil {
		return fmt.Errorf("page %s: %w", p.From, err)
	}
	return writeFile(filepath.Join(out, filepath.FromSlash(p.To)), b.Bytes())
}
