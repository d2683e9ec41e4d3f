// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

// tiers in the order of the page; shown says which a user sees by default.
var tiers = []string{"definite", "likely", "possible"}

// tally counts findings by verdict.
type tally struct{ right, wrong, open int }

func (n *tally) add(verdict string) {
	switch verdict {
	case "true":
		n.right++
	case "false":
		n.wrong++
	default:
		n.open++
	}
}

// precision is the share of true ones among the judged.
func (n tally) precision() string {
	if n.right+n.wrong == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n.right)/float64(n.right+n.wrong))
}

// render writes docs/real-world.md. It depends on the results alone: no time
// and no path of this machine.
func render(results []result, known []leak) string {
	var b strings.Builder
	b.WriteString(`# Real modules

Made by ` + "`cd tools && go run ./realworld`" + `, not by hand. It runs gpumemlint at its widest (` + "`-tier possible`" + `) over fixed versions of real modules from
the module proxy. Every finding that a user sees by default, which means the tiers definite and likely, was judged by reading the code: *true* if the resource
is lost on a path that can be taken, *false* otherwise, with the reason. Of the tier possible, which must be asked for, a part was judged; the rest is counted
as unjudged. The judgements are in tools/realworld/judgements.json.

A test that forgets a Destroy counts as true: the linter reads it as any other code.

`)
	renderPrecision(&b, results)
	renderKnown(&b, results, known)
	renderModules(&b, results)
	renderFindings(&b, results)
	renderSilent(&b, results)
	return b.String()
}

func renderPrecision(b *strings.Builder, results []result) {
	byTier := map[string]*tally{}
	for _, tier := range tiers {
		byTier[tier] = &tally{}
	}
	var shown tally
	for _, res := range results {
		for _, f := range res.Findings {
			if n := byTier[f.Tier]; n != nil {
				n.add(f.Verdict)
			}
			if f.Tier != "possible" {
				shown.add(f.Verdict)
			}
		}
	}
	b.WriteString("## Precision\n\n| tier | true | false | unjudged | precision |\n|---|---|---|---|---|\n")
	for _, tier := range tiers {
		n := byTier[tier]
		fmt.Fprintf(b, "| %s | %d | %d | %d | %s |\n", tier, n.right, n.wrong, n.open, n.precision())
	}
	fmt.Fprintf(b, "| **shown by default** | %d | %d | %d | %s |\n\n", shown.right, shown.wrong, shown.open, shown.precision())
}

// renderKnown counts recall, as far as somebody has read for it.
func renderKnown(b *strings.Builder, results []result, known []leak) {
	count := map[string]int{}
	var missed []leak
	for _, l := range known {
		tier := l.tierOf(results)
		count[tier]++
		if tier == "missed" {
			missed = append(missed, l)
		}
	}
	fmt.Fprintf(b, `## Leaks found by reading

The loading and inference code of hugot and the programs of gocv were read for leaks before the linter was run on them: %d acquisitions are lost on some path
(tools/realworld/known.json). The linter reports %d as definite, %d as likely, %d as possible, and misses %d.

`, len(known), count["definite"], count["likely"], count["possible"], count["missed"])
	for _, l := range missed {
		fmt.Fprintf(b, "- missed: %s\n", l)
	}
	if len(missed) > 0 {
		b.WriteString("\n")
	}
}

func renderModules(b *strings.Builder, results []result) {
	b.WriteString("## Modules\n\n| module | version | tags | packages | definite | likely | possible | over budget | what it is |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, res := range results {
		t := res.Target
		if res.Err != nil {
			fmt.Fprintf(b, "| %s | %s | %s | not linted: %v |\n", t.path(), t.Version, t.Tags, res.Err)
			continue
		}
		count := map[string]int{}
		for _, f := range res.Findings {
			count[f.Tier]++
		}
		fmt.Fprintf(b, "| %s | %s | %s | %d | %d | %d | %d | %d | %s |\n", t.path(), t.Version, t.Tags, res.Packages,
			count["definite"], count["likely"], count["possible"], res.Degraded, t.Why)
	}
	b.WriteString("\n")
	for _, res := range results {
		if len(res.Broken) > 0 {
			fmt.Fprintf(b, "Packages of %s that could not be read:\n\n", res.Target.Name)
			for _, line := range res.Broken {
				fmt.Fprintf(b, "- %s\n", line)
			}
			b.WriteString("\n")
		}
	}
}

func renderFindings(b *strings.Builder, results []result) {
	b.WriteString("## Findings\n\n")
	for _, res := range results {
		unread := 0 // possible ones that nobody has judged
		for _, f := range res.Findings {
			if f.unread() {
				unread++
			}
		}
		if res.Target.Silent || len(res.Findings) == unread {
			continue
		}
		fmt.Fprintf(b, "### %s\n\n| finding | tier | judged |\n|---|---|---|\n", res.Target.Name)
		for _, f := range res.Findings {
			if f.unread() {
				continue
			}
			judged := "unjudged"
			if f.Verdict != "" {
				judged = fmt.Sprintf("**%s**: %s", f.Verdict, f.Reason)
			}
			fmt.Fprintf(b, "| `%s:%d`: %s | %s | %s |\n", f.File, f.Line, cell(f.Message), f.Tier, cell(judged))
		}
		b.WriteString("\n")
	}
}

func renderSilent(b *strings.Builder, results []result) {
	b.WriteString("## Modules that hold no GPU memory\n\nAny finding here is a false one.\n\n")
	for _, res := range results {
		if !res.Target.Silent {
			continue
		}
		if res.Err != nil {
			fmt.Fprintf(b, "- %s %s: not linted: %v\n", res.Target.path(), res.Target.Version, res.Err)
			continue
		}
		fmt.Fprintf(b, "- %s %s: %d packages, %d findings", res.Target.path(), res.Target.Version, res.Packages, len(res.Findings))
		if len(res.Broken) > 0 {
			fmt.Fprintf(b, ", %d could not be read", len(res.Broken))
		}
		b.WriteString("\n")
		for _, f := range res.Findings {
			fmt.Fprintf(b, "  - `%s:%d`: %s\n", f.File, f.Line, f.Message)
		}
	}
}

// path is the module's path, or what the Go project calls its own.
func (t target) path() string {
	if t.Module == "" {
		return "the standard library"
	}
	return t.Module
}

// unread reports whether the finding is only counted: one that users do not
// see and nobody has judged.
func (f finding) unread() bool { return f.Tier == "possible" && f.Verdict == "" }

// cell keeps a text from breaking a table.
func cell(text string) string {
	return strings.ReplaceAll(text, "|", "\\|")
}
