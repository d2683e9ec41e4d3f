// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// lintFlags is the command line of a lint run.
type lintFlags struct {
	format        string
	out           string
	page          string // a page to write besides
	tier          string
	rules         string
	models        string
	tags          string
	baseline      string
	writeBaseline bool
	fix           bool
	diff          bool
	nolint        bool
	checkNolint   bool
	verbose       bool

	minTier  report.Tier
	ruleIDs  []string
	patterns []string
}

func newLintFlags() (*flag.FlagSet, *lintFlags) {
	f := new(lintFlags)
	fs := flag.NewFlagSet("gpumemlint", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are printed once, by run
	f.common(fs)
	fs.BoolVar(&f.checkNolint, "check-nolint", false, "report //nolint:gpumemlint and //nolint:GMnnn that silence nothing or give no reason")
	fs.BoolVar(&f.fix, "fix", false, "fix what can be fixed, in the files, and report what is left")
	fs.BoolVar(&f.diff, "diff", false, "print what -fix would change as a unified diff, and change nothing")
	fs.BoolVar(&f.writeBaseline, "write-baseline", false, "write the findings to the -baseline file instead of reporting them")
	return fs, f
}

// common defines the flags that gpumemlint and gpumemlint test share.
func (f *lintFlags) common(fs *flag.FlagSet) {
	fs.StringVar(&f.format, "format", "text", "output `format`: "+strings.Join(formats, ", "))
	fs.StringVar(&f.out, "o", "", "write the findings to this `file` instead of standard output; report.html also prints text")
	fs.StringVar(&f.tier, "tier", "likely", "least certain `tier` to report: definite, likely or possible")
	fs.StringVar(&f.rules, "rules", "", "report these rules only, as in `GM101,GM102`")
	fs.StringVar(&f.models, "models", "", "stub `file` with models of more libraries (see docs/models.md)")
	fs.StringVar(&f.tags, "tags", "", "comma-separated build `tags`")
	fs.StringVar(&f.baseline, "baseline", "", "`file` of findings that are known and not reported")
	fs.BoolVar(&f.nolint, "nolint", true, "honour //nolint:gpumemlint and //nolint:GMnnn")
	fs.BoolVar(&f.verbose, "v", false, "show source lines and the path of each finding, as on a terminal")
}

// parseLintFlags reads and checks the command line of a lint run.
func parseLintFlags(args []string) (*lintFlags, error) {
	fs, f := newLintFlags()
	if err := fs.Parse(args); err != nil {
		return nil, flagError(err)
	}
	if err := f.check(fs); err != nil {
		return nil, err
	}
	if f.checkNolint && !f.nolint {
		return nil, usagef("-check-nolint makes no sense with -nolint=false: nothing is silenced then")
	}
	if f.writeBaseline && f.baseline == "" {
		return nil, usagef("-write-baseline needs -baseline FILE to know where to write")
	}
	if f.fix && f.diff {
		return nil, usagef("-fix changes files and -diff does not; choose one")
	}
	if f.writeBaseline && f.mends() {
		return nil, usagef("-write-baseline keeps findings and -fix mends them; choose one")
	}
	return f, nil
}

// check checks the packages and the shared flags after parsing.
func (f *lintFlags) check(fs *flag.FlagSet) error {
	command := fs.Name()
	f.patterns = fs.Args()
	if len(f.patterns) == 0 {
		return usagef("no packages named; name them, as in %s ./...", command)
	}
	for _, p := range f.patterns {
		if p == "" {
			return usagef("a package pattern is empty; name packages, as in %s ./...", command)
		}
		if strings.HasPrefix(p, "-") {
			return usagef("%s comes after the packages; put flags first", p)
		}
	}
	if !slices.Contains(formats, f.format) {
		return usagef("unknown format %q; want %s", f.format, strings.Join(formats, ", "))
	}
	formatGiven := false
	fs.Visit(func(g *flag.Flag) { formatGiven = formatGiven || g.Name == "format" })
	if ext := filepath.Ext(f.out); !formatGiven && (ext == ".html" || ext == ".htm") {
		f.page, f.out = f.out, "" // nobody wants text in there
	}
	var err error
	if f.minTier, err = report.ParseTier(f.tier); err != nil {
		return usagef("-tier: %v", err)
	}
	if f.ruleIDs, err = parseRules(f.rules); err != nil {
		return usagef("-rules: %v", err)
	}
	return nil
}

// flagError words an error of package flag as one line that says what to do.
func flagError(err error) error {
	s := err.Error()
	if name, ok := strings.CutPrefix(s, "flag provided but not defined: "); ok {
		return usagef("unknown flag %s; gpumemlint help lists the flags", name)
	}
	if name, ok := strings.CutPrefix(s, "flag needs an argument: "); ok {
		return usagef("flag %s needs a value", name)
	}
	return usagef("%s", s)
}

// printFlags lists flags the way the rest of the help text is set.
func printFlags(w io.Writer, fs *flag.FlagSet) {
	fs.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		left := strings.TrimSpace("-" + f.Name + " " + strings.ToUpper(value))
		fmt.Fprintf(w, "    %-24s %s", left, usage)
		if f.DefValue != "" && f.DefValue != "false" {
			fmt.Fprintf(w, " (default %s)", f.DefValue)
		}
		fmt.Fprintln(w)
	})
}
