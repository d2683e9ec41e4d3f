// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linkAttr = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	idAttr   = regexp.MustCompile(`\bid="([^"]*)"`)
)

// readSite builds the site and gives its pages by name.
func readSite(t *testing.T) (string, map[string]string) {
	t.Helper()
	out := t.TempDir()
	n, err := build(filepath.Join("..", ".."), out)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	err = filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".html" {
			return err
		}
		b, err := os.ReadFile(name)
		rel, _ := filepath.Rel(out, name)
		pages[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != n {
		t.Fatalf("build says %d pages and wrote %d", n, len(pages))
	}
	return out, pages
}

// TestLinks follows every link of every page that stays within the site, to its
// page, its heading or its picture.
func TestLinks(t *testing.T) {
	out, pages := readSite(t)
	ids := map[string]map[string]bool{}
	for name, text := range pages {
		ids[name] = map[string]bool{}
		for _, m := range idAttr.FindAllStringSubmatch(text, -1) {
			if ids[name][m[1]] {
				t.Errorf("%s has two elements with id %s", name, m[1])
			}
			ids[name][m[1]] = true
		}
	}
	links := 0
	for name, text := range pages {
		for _, m := range linkAttr.FindAllStringSubmatch(text, -1) {
			dest := m[1]
			if strings.Contains(dest, "://") {
				continue // to the source, or somebody else's page
			}
			links++
			file, fragment, _ := strings.Cut(dest, "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, isPage := pages[target]; !isPage {
				if _, err := os.Stat(filepath.Join(out, filepath.FromSlash(target))); err != nil {
					t.Errorf("%s links to %s, which is not there", name, dest)
				}
				continue
			}
			if fragment != "" && !ids[target][fragment] {
				t.Errorf("%s links to %s, and that page has no heading #%s", name, dest, fragment)
			}
		}
	}
	if links < 1000 {
		t.Errorf("only %d links were followed: each page lists all others", links)
	}
}

// TestPages asks of each page what a reader needs: a title, a width that fits a
// phone, and nothing from a network.
func TestPages(t *testing.T) {
	_, pages := readSite(t)
	remote := regexp.MustCompile(`<(?:script|link|iframe)\b|src="https?:|@import|url\(`)
	for name, text := range pages {
		if !strings.Contains(text, `name="viewport"`) || strings.Contains(text, "<title> - ") {
			t.Errorf("%s has no title or no viewport", name)
		}
		if m := remote.FindString(text); m != "" {
			t.Errorf("%s loads something: %s", name, m)
		}
		if n := strings.Count(text, "aria-current"); n < 1 {
			t.Errorf("%s is not marked in its own list of pages", name)
		}
		if strings.Contains(text, ".md\"") && !strings.Contains(text, source) {
			t.Errorf("%s links to Markdown", name)
		}
	}
	for _, rule := range []string{"GM101", "GM205", "GM303", "GM404", "GM505"} {
		if !strings.Contains(pages["docs/rules/"+rule+".html"], "<h1 id=") {
			t.Errorf("the page of %s is missing or empty", rule)
		}
	}
}

// TestBroken demands that a link to nothing is an error, not a dead link.
func TestBroken(t *testing.T) {
	p := &page{From: "docs/x.md", To: "docs/x.html"}
	if _, err := target(p, "nowhere.md", filepath.Join("..", ".."), map[string]string{}); err == nil {
		t.Error("a link to a file that is not there was accepted")
	}
	got, err := target(p, "../go.mod", filepath.Join("..", ".."), map[string]string{})
	if err != nil || got != source+"go.mod" {
		t.Errorf("link to a source file: got %q, %v, expected its source", got, err)
	}
}
