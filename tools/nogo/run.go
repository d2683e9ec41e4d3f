// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package nogo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// exitFindings is nogo's exit status when it has findings.
const exitFindings = 3

// A Finding is one line of nogo's output.
type Finding struct {
	Package      string
	File         string // relative to the package's folder
	Line, Column int
	Message      string
	Analyzer     string
}

// A Runner plays Bazel: it starts nogo once a package.
type Runner struct {
	Nogo string // the binary
	Dir  string // for the roots of the actions and the facts
	Open bool   // do without the closed root, where the system allows none

	packages map[string]*Package
}

// NewRunner prepares to run nogo on packages, which must hold all
// dependencies. dir should be on the disk of the build cache.
func NewRunner(nogo, dir string, packages []*Package) *Runner {
	r := &Runner{Nogo: nogo, Dir: dir, packages: map[string]*Package{}}
	for _, p := range packages {
		r.packages[p.ImportPath] = p
	}
	return r
}

// An Action is what came of one run of nogo.
type Action struct {
	Findings []Finding
	Took     time.Duration
	CPU      time.Duration // of its process
	Facts    int64         // bytes
}

// Run analyses one package. Those that it imports must have been run; what
// it exports to those that import it is kept as a file of facts. With
// factsOnly nothing is reported, as for packages of other modules.
func (r *Runner) Run(ctx context.Context, p *Package, factsOnly bool) (*Action, error) {
	root, err := os.MkdirTemp(r.Dir, "action-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	args, err := r.inputs(root, p)
	if err != nil {
		return nil, err
	}
	if factsOnly {
		args = append([]string{"-facts_only"}, args...)
	}
	cmd := exec.CommandContext(ctx, "/nogo", args...)
	cmd.Env = []string{"GOARCH=" + runtime.GOARCH, "GOOS=" + runtime.GOOS}
	if r.Open {
		cmd.Path, cmd.Dir = r.Nogo, root
	} else {
		enclose(cmd, root)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	err = cmd.Run()
	act := &Action{Took: time.Since(start)}
	if st := cmd.ProcessState; st != nil {
		act.CPU = st.UserTime() + st.SystemTime()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == exitFindings {
		act.Findings, err = parse(p, stderr.String())
	}
	if err != nil {
		return nil, fmt.Errorf("nogo on %s: %w\n%s", p.ImportPath, err, stderr.Bytes())
	}
	facts := filepath.Join(root, "facts.x")
	if st, err := os.Stat(facts); err == nil {
		act.Facts = st.Size()
	}
	return act, os.Rename(facts, r.facts(p))
}

// facts names the file of facts of a package.
func (r *Runner) facts(p *Package) string {
	return filepath.Join(r.Dir, strings.NewReplacer("/", "%", " ", "%").Replace(p.ImportPath)+".facts")
}

// inputs lays the declared inputs of an action out below root and returns
// nogo's arguments: the sources, the types of what they import and the facts
// about those of it that are not of the standard library.
func (r *Runner) inputs(root string, p *Package) ([]string, error) {
	if err := place(r.Nogo, filepath.Join(root, "nogo")); err != nil {
		return nil, err
	}
	args := []string{"-p", p.ImportPath, "-importcfg", "importcfg", "-x", "facts.x", "-go_version", strings.TrimPrefix(runtime.Version(), "go")}
	var cfg bytes.Buffer
	for i, path := range p.Imports {
		if to, ok := p.ImportMap[path]; ok {
			fmt.Fprintf(&cfg, "importmap %s=%s\n", path, to)
			path = to
		}
		dep := r.packages[path]
		if dep == nil {
			return nil, fmt.Errorf("%s imports %s, which was not loaded", p.ImportPath, path)
		}
		types := fmt.Sprintf("deps/%d.x", i)
		if err := place(dep.Export, filepath.Join(root, types)); err != nil {
			return nil, err
		}
		fmt.Fprintf(&cfg, "packagefile %s=%s\n", path, types)
		if dep.Standard {
			continue // no facts: the standard library was not built with nogo
		}
		facts := fmt.Sprintf("deps/%d.facts", i)
		if err := place(r.facts(dep), filepath.Join(root, facts)); err != nil {
			return nil, err
		}
		args = append(args, "-fact", path+"="+facts)
	}
	if err := os.WriteFile(filepath.Join(root, "importcfg"), cfg.Bytes(), 0o666); err != nil {
		return nil, err
	}
	var sources []string
	for i, name := range p.Sources {
		to := filepath.Base(name)
		if !isIn(name, p.Dir) {
			to = fmt.Sprintf("cgo/%d.go", i) // the build cache names files by their hash
			args = append(args, "-ignore", to)
		}
		if err := place(name, filepath.Join(root, to)); err != nil {
			return nil, err
		}
		sources = append(sources, to)
	}
	return append(args, sources...), nil
}

func isIn(name, dir string) bool { return filepath.Dir(name) == filepath.Clean(dir) }

// place puts a file where an action can read it.
func place(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	src, err := os.Open(from) // another disk
	if err != nil {
		return err
	}
	defer src.Close()
	st, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, st.Mode()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

var line = regexp.MustCompile(`^(.+):(\d+):(\d+): (.*) \((\w+)\)$`)

// parse reads what nogo prints when it has findings.
func parse(p *Package, out string) ([]Finding, error) {
	_, out, ok := strings.Cut(out, "nogo: errors found by nogo during build-time code analysis:\n")
	if !ok {
		return nil, fmt.Errorf("output without nogo's heading")
	}
	var list []Finding
	for s := range strings.Lines(out) {
		m := line.FindStringSubmatch(strings.TrimRight(s, "\n"))
		if m == nil {
			return nil, fmt.Errorf("cannot read %q", s)
		}
		f := Finding{Package: p.ImportPath, File: m[1], Message: m[4], Analyzer: m[5]}
		if filepath.IsAbs(f.File) { // from a line directive of cgo's
			if rel, err := filepath.Rel(p.Dir, f.File); err == nil {
				f.File = rel
			}
		}
		f.Line, _ = strconv.Atoi(m[2])
		f.Column, _ = strconv.Atoi(m[3])
		list = append(list, f)
	}
	return list, nil
}
