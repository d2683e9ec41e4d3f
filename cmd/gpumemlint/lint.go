// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/baseline"
	"github.com/gpumemlint/gpumemlint/internal/govet"
	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/output/github"
	"github.com/gpumemlint/gpumemlint/internal/output/gitlab"
	"github.com/gpumemlint/gpumemlint/internal/output/html"
	outjson "github.com/gpumemlint/gpumemlint/internal/output/json"
	"github.com/gpumemlint/gpumemlint/internal/output/sarif"
	"github.com/gpumemlint/gpumemlint/internal/output/text"
	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

var formats = []string{"text", "json", "sarif", "github", "gitlab", "html"}

// lint analyses packages by running go vet on them with this very program as
// its tool, and prints what comes back.
//
// The tool always gets the same flags and reports all it knows, whatever the
// user wants to see: the go command's cache is keyed by flags, so one
// analysis serves every later choice of -tier, -rules and -baseline.
func lint(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f, err := parseLintFlags(args)
	if err != nil {
		return err
	}
	known, err := f.readBaseline()
	if err != nil {
		return err
	}
	if err := f.checkOutput(); err != nil {
		return err
	}
	opts, err := vetOptions(f)
	if err != nil {
		return err
	}
	env, err := goEnv(ctx)
	if err != nil {
		return err
	}
	paths := env.paths()

	stopProgress := startProgress(ctx, stderr, &opts)
	files, err := f.newMending()
	if err != nil {
		return err
	}
	defer closeMending(files)
	res, notes, runErr := f.analyseMending(ctx, opts, paths, known, files)
	if env.CGO_ENABLED == "0" && runErr == nil {
		notes = append(notes, withoutCgo(ctx, opts)...)
	}
	stopProgress()
	interrupted := errors.Is(runErr, context.Canceled)
	if runErr != nil && !interrupted {
		return runErr
	}

	all, degraded, bad, err := collect(f, paths, res.Diagnostics)
	if err != nil {
		return err
	}
	res.Failures = append(res.Failures, bad...)
	var findings []output.Finding
	for _, x := range all {
		if x.tier >= f.minTier && f.wants(x.finding.Rule) {
			findings = append(findings, x.finding)
		}
	}
	if f.checkNolint {
		more, err := nolintFindings(paths, res.Diagnostics)
		if err != nil {
			return err
		}
		findings = append(findings, more...)
	}
	rep := output.New(findings, degraded)
	rep.Failures = failureLines(res.Failures)
	rep.Count()
	if f.writeBaseline {
		if interrupted || len(res.Failures) > 0 {
			printLines(stderr, rep.Failures)
			return fmt.Errorf("baseline %s not written, since not everything was analysed", f.baseline)
		}
		return baseline.Write(f.baseline, baseline.Of(rep.Findings))
	}
	var stale []baseline.Entry
	if f.baseline != "" {
		before := len(rep.Findings)
		rep.Findings, stale = baseline.Apply(rep.Findings, known)
		rep.Summary.Baselined = before - len(rep.Findings)
		rep.Count()
	}

	fixed := false
	if files != nil && !interrupted {
		if fixed, err = f.finishMending(files, paths, stdout, stderr); err != nil {
			return err
		}
	}
	if !f.diff {
		if err := f.print(rep, paths, stdout); err != nil {
			return err
		}
	}
	printLines(stderr, notes)
	printLines(stderr, rep.Failures)
	if interrupted {
		fmt.Fprintln(stderr, "gpumemlint: interrupted; what had been found by then is printed")
	} else if len(res.Failures) == 0 {
		printStale(stderr, f.baseline, stale)
	}
	if line := text.Summary(rep); line != "" {
		fmt.Fprintf(stderr, "gpumemlint: %s\n", line)
	} else if isTerminal(stderr) {
		fmt.Fprintln(stderr, "gpumemlint: no findings")
	}
	switch {
	case interrupted || len(res.Failures) > 0:
		return errReported
	case len(rep.Findings) > 0 || f.diff && fixed:
		return errFindings
	}
	return nil
}

// checkOutput finds out before the work whether there is a place for it.
func (f *lintFlags) checkOutput() error {
	for _, name := range []string{f.out, f.page} {
		if name == "" {
			continue
		}
		if st, err := os.Stat(filepath.Dir(name)); err != nil || !st.IsDir() {
			return fmt.Errorf("cannot write %s: no such directory %s", name, filepath.Dir(name))
		}
	}
	return nil
}

func (f *lintFlags) readBaseline() ([]baseline.Entry, error) {
	if f.baseline == "" || f.writeBaseline {
		return nil, nil
	}
	return baseline.Read(f.baseline)
}

// vetOptions says how to run go vet. Only what changes the analysis itself
// becomes a flag of the tool.
func vetOptions(f *lintFlags) (govet.Options, error) {
	self, err := os.Executable()
	if err != nil {
		return govet.Options{}, fmt.Errorf("cannot find this program to use it as a vet tool: %w", err)
	}
	o := govet.Options{
		Tool:      self,
		ToolFlags: []string{"-tier=possible", "-detail"},
		Patterns:  f.patterns,
	}
	if f.wantsFixes() {
		o.ToolFlags = append(o.ToolFlags, "-fixes")
	}
	if !f.nolint {
		o.ToolFlags = append(o.ToolFlags, "-nolint=false")
	}
	if f.models != "" {
		value, err := modelsFlag(f.models)
		if err != nil {
			return govet.Options{}, err
		}
		o.ToolFlags = append(o.ToolFlags, "-models="+value)
	}
	if f.tags != "" {
		o.BuildFlags = append(o.BuildFlags, "-tags="+f.tags)
	}
	return o, nil
}

// environment is what the go command says of where and how it works.
type environment struct{ GOMOD, GOWORK, GOMODCACHE, GOROOT, CGO_ENABLED string }

func goEnv(ctx context.Context) (environment, error) {
	var env environment
	if _, err := exec.LookPath("go"); err != nil {
		return env, govet.ErrNoGo
	}
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOMOD", "GOWORK", "GOMODCACHE", "GOROOT", "CGO_ENABLED").Output()
	if ctx.Err() != nil {
		return env, ctx.Err()
	}
	if err == nil {
		err = json.Unmarshal(out, &env)
	}
	if err != nil {
		return env, fmt.Errorf("go env: %w", err)
	}
	return env, nil
}

// paths says how to shorten file names.
func (env environment) paths() output.Paths {
	p := output.Paths{Cache: env.GOMODCACHE}
	for _, file := range []string{env.GOMOD, env.GOWORK} { // a workspace's root is the wider one
		if filepath.IsAbs(file) && file != os.DevNull {
			p.Root = filepath.Dir(file)
		}
	}
	return p
}

// found is a finding with what no format prints.
type found struct {
	finding output.Finding
	detail  report.Detail
	tier    report.Tier
}

// collect turns diagnostics into findings, of every rule and tier. What is
// wrong with the user's directives comes back as failures: the analysis has
// done without them.
func collect(f *lintFlags, paths output.Paths, diags []govet.Diagnostic) (
	list []found, degraded []output.Degraded, bad []govet.Failure, err error,
) {
	for _, d := range diags {
		detail, err := detailOf(d)
		if err != nil {
			return nil, nil, nil, err
		}
		switch d.Category {
		case report.CategoryNolint, report.CategorySilenced:
			continue // see nolintFindings
		case report.CategoryDirective:
			at := fmt.Sprintf("%s:%d:%d: ", paths.Rel(d.Pos.File), d.Pos.Line, d.Pos.Column)
			bad = append(bad, govet.Failure{Message: at + d.Message})
			continue
		case report.CategoryDegraded:
			degraded = append(degraded, output.Degraded{
				Package: d.Package, Function: detail.Function,
				File: paths.Rel(d.Pos.File), Line: d.Pos.Line, Reason: d.Message,
			})
			continue
		}
		tier, err := report.ParseTier(detail.Tier)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("finding of %s: %w", d.Analyzer, err)
		}
		list = append(list, found{finding(paths, d, detail), detail, tier})
	}
	return list, degraded, bad, nil
}

func detailOf(d govet.Diagnostic) (report.Detail, error) {
	for _, message := range d.Related {
		detail, ok, err := report.ParseDetail(message)
		if err != nil {
			return report.Detail{}, err
		}
		if ok {
			return detail, nil
		}
	}
	return report.Detail{Tier: report.Likely.String(), Pass: d.Analyzer}, nil
}

// wants reports whether the user asked for a rule, or for none in particular
// and it is one of those reported by default.
func (f *lintFlags) wants(id string) bool {
	if len(f.ruleIDs) > 0 {
		return slices.Contains(f.ruleIDs, id)
	}
	rule, ok := rules.RuleByID(id)
	return !ok || rule.Default
}

func finding(paths output.Paths, d govet.Diagnostic, detail report.Detail) output.Finding {
	out := output.Finding{
		Rule: d.Category, Pass: detail.Pass, Tier: detail.Tier, Package: d.Package,
		File: paths.Rel(d.Pos.File), Line: d.Pos.Line, Column: d.Pos.Column, Path: d.Pos.File,
		Function: detail.Function, Message: d.Message, Resource: detail.Resource,
	}
	if d.End != d.Pos && d.End.File == d.Pos.File {
		out.EndLine, out.EndColumn = d.End.Line, d.End.Column
	}
	if a := detail.Acquired; a != nil {
		out.Acquired = &output.Place{File: paths.Rel(a.File), Line: a.Line}
	}
	for _, s := range detail.Trace {
		out.Trace = append(out.Trace, output.Step{File: paths.Rel(s.File), Line: s.Line, Text: s.Text})
	}
	for _, fix := range detail.Fixes { // of the user's files, where vet's are of what cgo made of them
		of := output.Fix{Message: fix.Message}
		for _, e := range fix.Edits {
			of.Edits = append(of.Edits, output.Edit{File: paths.Rel(e.File), Start: e.Start, End: e.End, New: e.New, Path: e.File})
		}
		out.Fixes = append(out.Fixes, of)
	}
	return out
}

// print writes the report in the chosen format to the chosen place, and the
// page to its file.
func (f *lintFlags) print(rep *output.Report, paths output.Paths, stdout io.Writer) error {
	var buf bytes.Buffer
	var err error
	switch f.format {
	case "json":
		err = outjson.Write(&buf, rep)
	case "sarif":
		err = sarif.Write(&buf, forHost(rep, paths), moduleVersion())
	case "github":
		err = github.Write(&buf, forHost(rep, paths))
	case "gitlab":
		err = gitlab.Write(&buf, forHost(rep, paths))
	case "html":
		err = f.writePage(&buf, rep, paths)
	default:
		terminal := f.out == "" && isTerminal(stdout)
		dir, _ := os.Getwd() // without it, names are relative to the module
		err = text.Write(&buf, rep, text.Options{
			Dir: dir, Context: terminal || f.verbose, Colour: terminal && wantsColour(),
		})
	}
	if err != nil {
		return err
	}
	if f.page != "" {
		var page bytes.Buffer
		if err := f.writePage(&page, rep, paths); err != nil {
			return err
		}
		if err := os.WriteFile(f.page, page.Bytes(), 0o666); err != nil {
			return fmt.Errorf("cannot write findings: %w", err)
		}
	}
	if f.out == "" {
		if _, err := stdout.Write(buf.Bytes()); err != nil {
			return fmt.Errorf("cannot write findings: %w", err)
		}
		return nil
	}
	if err := os.WriteFile(f.out, buf.Bytes(), 0o666); err != nil {
		return fmt.Errorf("cannot write findings: %w", err)
	}
	return nil
}

func (f *lintFlags) writePage(w io.Writer, rep *output.Report, paths output.Paths) error {
	return html.Write(w, rep, html.Options{Paths: paths, Subject: strings.Join(f.patterns, " "), Version: moduleVersion()})
}

// failureLines words what could not be analysed, one line each.
func failureLines(failures []govet.Failure) []string {
	lines := []string{}
	for _, x := range failures {
		line := x.Message
		switch {
		case x.Package == "":
		case x.Kind == govet.NotCompiled:
			line = fmt.Sprintf("%s does not compile: %s; fix it or leave it out of the pattern", x.Package, x.Message)
		case x.Kind == govet.NotLoaded:
			line = fmt.Sprintf("%s cannot be loaded: %s; fix it or leave it out of the pattern", x.Package, x.Message)
		default:
			line = fmt.Sprintf("%s was not analysed: %s", x.Package, x.Message)
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func printLines(w io.Writer, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(w, "gpumemlint: %s\n", line)
	}
}

func printStale(w io.Writer, file string, stale []baseline.Entry) {
	for _, e := range stale {
		fmt.Fprintf(w, "gpumemlint: baseline %s lists what is gone (%dx): %s.%s: %s; rewrite it with -write-baseline\n",
			file, e.Count, e.Package, e.Function, e.Message)
	}
}
