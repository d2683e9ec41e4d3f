// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/baseline"
	"github.com/gpumemlint/gpumemlint/internal/govet"
	"github.com/gpumemlint/gpumemlint/internal/mend"
	"github.com/gpumemlint/gpumemlint/internal/output"
)

// maxRounds bounds how often the code is analysed again after fixes. Each round
// makes all that do not meet, so that two or three are the rule.
const maxRounds = 8

// mends reports whether the run is to change something.
func (f *lintFlags) mends() bool { return f.fix || f.diff }

// wantsFixes reports whether anybody will see the fixes of a finding. Looking
// for them costs time, and the other formats have no place for them.
func (f *lintFlags) wantsFixes() bool {
	return f.mends() || f.format == "json" || f.format == "sarif" || f.format == "html" || f.page != ""
}

// analyseMending is analyse, and with -fix and -diff it goes on until there is
// nothing left to fix: what it returns is then what the fixed code is like. The
// fixes are in files, and not on disk yet.
func (f *lintFlags) analyseMending(ctx context.Context, o govet.Options, paths output.Paths, known []baseline.Entry, files *mend.Files) (*govet.Result, []string, error) {
	res, notes, err := analyse(ctx, o)
	if files == nil || err != nil {
		return res, notes, err
	}
	broken := failing(res)
	closed := map[string]bool{} // files that a fix would break
	for round := 0; round < maxRounds; round++ {
		fixes, err := f.offered(paths, known, res)
		if err != nil {
			return res, notes, err
		}
		n, err := files.Apply(fixes, func(path string) bool { return !closed[path] && editable(paths, path) })
		if err != nil || n == 0 {
			return res, notes, err
		}
		next, more, err := f.again(ctx, o, files)
		if err != nil {
			return res, notes, err
		}
		// What a fix breaks has been tried in vain: the trial did not see what
		// the compiler sees. That is a defect, and no reason to break code.
		if worse := brokenSince(broken, failing(next)); len(worse) > 0 {
			files.Undo(func(path string) bool {
				closed[path] = closed[path] || slices.Contains(worse, filepath.Dir(path))
				return closed[path]
			})
			more = append(more, fmt.Sprintf("fixes left out, since the code would not compile with them, in %s; please report this", strings.Join(worse, ", ")))
			if next, _, err = f.again(ctx, o, files); err != nil {
				return res, notes, err
			}
		}
		res, notes = next, append(notes, more...)
		slices.Sort(notes)
		notes = slices.Compact(notes)
	}
	return res, notes, nil
}

// again analyses the changed code.
func (f *lintFlags) again(ctx context.Context, o govet.Options, files *mend.Files) (*govet.Result, []string, error) {
	overlay, texts, err := files.Overlay()
	if err != nil {
		return nil, nil, err
	}
	if overlay != "" {
		o.BuildFlags = slices.Concat(o.BuildFlags, []string{"-overlay=" + overlay})
		o.ToolFlags = slices.Concat(o.ToolFlags, []string{"-texts=" + texts})
	}
	res, notes, err := analyse(ctx, o)
	if res == nil {
		return nil, nil, err
	}
	for i := range res.Diagnostics {
		d := &res.Diagnostics[i]
		d.Pos.File, d.End.File, d.Message = files.Original(d.Pos.File), files.Original(d.End.File), files.Original(d.Message)
		for j := range d.Related {
			d.Related[j] = files.Original(d.Related[j])
		}
	}
	for i := range res.Failures {
		res.Failures[i].Message = files.Original(res.Failures[i].Message)
	}
	return res, notes, err
}

// joinFlags joins build flags. The go command takes one overlay only: two are
// made one, which is stored beside the first.
func joinFlags(a, b []string) ([]string, error) {
	first, second := overlayIn(a), overlayIn(b)
	if first < 0 || second < 0 {
		return slices.Concat(a, b), nil
	}
	all := map[string]string{}
	var file string
	for _, flag := range []string{b[second], a[first]} {
		var o struct{ Replace map[string]string }
		_, file, _ = strings.Cut(flag, "=")
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &o)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read overlay %s: %w", file, err)
		}
		maps.Copy(all, o.Replace)
	}
	data, err := json.Marshal(map[string]any{"Replace": all})
	if err != nil {
		return nil, err
	}
	file = strings.TrimSuffix(file, ".json") + "-joined.json"
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return nil, fmt.Errorf("cannot store an overlay: %w", err)
	}
	joined := slices.Concat(slices.Delete(slices.Clone(a), first, first+1), slices.Delete(slices.Clone(b), second, second+1))
	return append(joined, "-overlay="+file), nil
}

func overlayIn(flags []string) int {
	return slices.IndexFunc(flags, func(f string) bool { return strings.HasPrefix(f, "-overlay=") })
}

// editable reports whether a file is the user's to change.
func editable(paths output.Paths, path string) bool {
	_, cached := output.Inside(paths.Cache, path)
	return !cached
}

// offered lists the fixes of the findings that the user asked for.
func (f *lintFlags) offered(paths output.Paths, known []baseline.Entry, res *govet.Result) ([]mend.Fix, error) {
	all, _, _, err := collect(f, paths, res.Diagnostics)
	if err != nil {
		return nil, err
	}
	var findings []output.Finding
	for _, x := range all {
		if x.tier >= f.minTier && f.wants(x.finding.Rule) {
			findings = append(findings, x.finding)
		}
	}
	list := output.New(findings, nil).Findings // sorted
	if f.baseline != "" {
		list, _ = baseline.Apply(list, known)
	}
	var fixes []mend.Fix
	for _, x := range list {
		if len(x.Fixes) == 0 {
			continue
		}
		fix := mend.Fix{Message: x.Fixes[0].Message}
		for _, e := range x.Fixes[0].Edits {
			fix.Edits = append(fix.Edits, mend.Edit{Path: e.Path, Start: e.Start, End: e.End, New: e.New})
		}
		fixes = append(fixes, fix)
	}
	return fixes, nil
}

// failing lists the packages that do not compile.
func failing(res *govet.Result) []string {
	var list []string
	for _, x := range res.Failures {
		if x.Kind != govet.NotAnalysed {
			list = append(list, x.Package+": "+x.Message)
		}
	}
	return list
}

// brokenSince lists the directories of the files that new failures name; all of
// a failure's text if it names none.
func brokenSince(before, after []string) []string {
	var dirs []string
	for _, line := range after {
		if slices.Contains(before, line) {
			continue
		}
		dir := line
		if i := strings.Index(line, ".go:"); i >= 0 {
			dir = line[:i]
			dir = dir[strings.LastIndexAny(dir, " \t")+1:]
			if abs, err := filepath.Abs(dir); err == nil {
				dir = abs
			}
			dir = filepath.Dir(dir)
		}
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// finishMending writes the fixed files, or prints how they would differ. It
// reports whether there was something to fix.
func (f *lintFlags) finishMending(files *mend.Files, paths output.Paths, stdout, stderr io.Writer) (bool, error) {
	changed := files.Changed()
	if f.diff {
		if _, err := stdout.Write(files.Diff(paths.Rel)); err != nil {
			return true, fmt.Errorf("cannot write the diff: %w", err)
		}
		return len(changed) > 0, nil
	}
	written, err := files.Write()
	for _, path := range written {
		fmt.Fprintf(stderr, "gpumemlint: fixed %s: %s\n", paths.Rel(path), strings.Join(files.Done(path), "; "))
	}
	return len(changed) > 0, err
}

// newMending returns where fixes are collected, nil if none are wanted.
func (f *lintFlags) newMending() (*mend.Files, error) {
	if !f.mends() {
		return nil, nil
	}
	return mend.New()
}

// closeMending removes what was stored for the go command. What stays behind is
// in the system's folder for such files: not worth a failure.
func closeMending(files *mend.Files) {
	if files != nil {
		_ = files.Close()
	}
}
