// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/gpumemlint/gpumemlint/rules"
)

// explain prints the page about each rule, or without arguments the list of
// all rules.
func explain(_ context.Context, args []string, stdout, _ io.Writer) error {
	if len(args) == 0 {
		return listRules(stdout)
	}
	var pages []string
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			return usagef("unknown flag %s; explain takes rule IDs, as in gpumemlint explain GM101", arg)
		}
		rule, ok := rules.RuleByID(arg)
		if !ok {
			return usagef("unknown rule %s; did you mean %s? gpumemlint explain lists them all", arg, nearest(arg))
		}
		pages = append(pages, page(rule))
	}
	text := strings.Join(pages, "\n")
	if isTerminal(stdout) {
		text = forTerminal(text, wantsColour())
	}
	_, err := io.WriteString(stdout, text)
	return err
}

func listRules(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, "ID\tPASS\tSEVERITY\tREPORTS")
	for _, r := range rules.Catalog() {
		title := r.Title
		if r.Planned {
			title += " (planned)"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", r.ID, r.Pass, r.Severity, title)
	}
	return tw.Flush()
}

// page is the rule's Markdown without the comment for those who edit it.
func page(r rules.Rule) string {
	text := r.Markdown()
	if strings.HasPrefix(text, "<!--") {
		_, text, _ = strings.Cut(text, "-->")
	}
	return strings.TrimLeft(text, "\n")
}

// forTerminal sets Markdown for reading: headings in bold, code indented.
func forTerminal(text string, colour bool) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
			continue
		case code && line != "\n":
			line = "    " + line
		case strings.HasPrefix(line, "#"):
			line = strings.TrimLeft(line, "# ")
			if colour {
				line = "\x1b[1m" + strings.TrimSuffix(line, "\n") + "\x1b[0m\n"
			}
		}
		b.WriteString(line)
	}
	return b.String()
}
