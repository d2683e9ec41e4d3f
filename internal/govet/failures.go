// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package govet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// parseFailures reads what go vet writes to standard error. A line "# PATH"
// begins the complaints about one package, of which the first is kept (the
// others follow from it more often than not, and after a crash they would be
// a dump); lines before any such heading are about the load as a whole. The
// vet tool puts its name in front of what it says.
func parseFailures(stderr, tool string) []Failure {
	var list []Failure
	pkg, told := "", false
	pending := "" // a message that is continued on the next line
	flush := func() {
		if pending != "" {
			f := Failure{Kind: NotLoaded, Package: pkg, Message: oneLine(pending)}
			if pkg != "" {
				f.Kind = NotCompiled
			}
			list = append(list, f)
			pending = ""
		}
	}
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\r\n")
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			if strings.HasPrefix(heading, "[") && pkg != "" {
				continue // a test variant of that package, or a step of its build
			}
			flush()
			next := basePath(strings.Trim(heading, "[]"))
			if next != pkg {
				pkg, told = next, false
			}
			continue
		}
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "In file included from "), strings.HasPrefix(line, "     "):
			// the C compiler's way to the place that it complains of
		case strings.HasPrefix(line, "go: warning: "), strings.HasPrefix(line, "go: downloading "):
			// progress, and what the no-match message below says better
		case strings.HasPrefix(line, "\t"):
			if pending != "" && pkg == "" {
				pending += "\n" + line // advice; below a heading it would be a stack
			}
		case pkg != "" && told:
			// a consequence of what was told already
		default:
			flush()
			line = strings.TrimPrefix(strings.TrimPrefix(line, tool+": "), "vet: ")
			pending, told = line, true
		}
	}
	flush()
	return list
}

var getAdvice = regexp.MustCompile(`; to add it:\s+(.*)$`)

// oneLine folds a message of the go command, which gives its advice on
// indented lines, into one line.
func oneLine(message string) string {
	s := strings.Join(strings.Fields(message), " ")
	s = getAdvice.ReplaceAllString(s, "; to add it, run $1")
	switch {
	case strings.Contains(s, "go.mod file not found"):
		return noModule
	case s == "no packages to vet":
		return "the patterns match no packages; name one that exists, as in ./..."
	}
	return s
}

const noModule = "not inside a Go module; run it in a directory with a go.mod, or make one with go mod init"

// A listed is what go list -e says of a package.
type listed struct {
	ImportPath string
	Dir        string
	Match      []string
	Error      *listError
	DepsErrors []*listError
}

type listError struct {
	ImportStack []string
	Pos         string
	Err         string
}

// triage sorts the packages that the patterns match into those that can be
// analysed and those that cannot be loaded.
func triage(ctx context.Context, o Options) (good []string, failures []Failure, err error) {
	pkgs, err := list(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range pkgs {
		switch e := p.problem(); {
		case e != nil:
			f := Failure{Package: p.ImportPath, Message: explain(p, e)}
			if p.Dir == "" {
				f.Package = "" // a pattern rather than a package: the message names it
			}
			failures = append(failures, f)
		default:
			good = append(good, p.ImportPath)
		}
	}
	return good, failures, nil
}

func (p *listed) problem() *listError {
	if p.Error != nil {
		return p.Error
	}
	if len(p.DepsErrors) > 0 {
		return p.DepsErrors[0]
	}
	return nil
}

// explain says in one line why a package or pattern does not load.
func explain(p *listed, e *listError) string {
	if p.Dir == "" || p.ImportPath == "" {
		switch {
		case strings.Contains(e.Err, "directory prefix . does not contain main module"):
			return noModule
		case strings.Contains(e.Err, "directory not found"):
			return fmt.Sprintf("%s: no such directory; check the path", p.ImportPath)
		case strings.HasPrefix(e.Err, "pattern "), strings.Contains(e.Err, "matched no packages"):
			return fmt.Sprintf("%s: matches no package; check the path", p.ImportPath)
		}
		return fmt.Sprintf("%s: %s", p.ImportPath, strings.TrimPrefix(oneLine(e.Err), p.ImportPath+": "))
	}
	msg := oneLine(e.Err)
	if e.Pos != "" {
		msg = e.Pos + ": " + msg
	}
	if strings.Contains(e.Err, "import cycle not allowed") {
		msg += ": " + strings.Join(e.ImportStack, " imports ")
	}
	if strings.HasPrefix(msg, "no Go files in ") {
		msg = "no Go files in " + filepath.Base(p.Dir)
	}
	return msg
}

// skipped returns a failure for each package that was not analysed because
// one of its imports does not compile. The go command says nothing of these.
func skipped(ctx context.Context, o Options, failures []Failure) ([]Failure, error) {
	broken := map[string]bool{}
	for _, f := range failures {
		// What is wrong in a test file is no concern of importers.
		if f.Kind == NotCompiled && !strings.Contains(f.Message, "_test.go:") {
			broken[f.Package] = true
		}
	}
	if len(broken) == 0 {
		return nil, nil
	}
	out, err := List(ctx, o, `-f={{.ImportPath}}{{range .Deps}} {{.}}{{end}}`)
	if err != nil {
		return nil, err
	}
	var list []Failure
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) == 0 || broken[words[0]] {
			continue
		}
		for _, dep := range words[1:] {
			if broken[dep] {
				list = append(list, Failure{Kind: NotAnalysed, Package: words[0], Message: "it imports " + dep})
				break
			}
		}
	}
	return list, nil
}

// Count returns how many analyses a run over the patterns will make: one for
// each package, and one more where there is an external test.
func Count(ctx context.Context, o Options) (int, error) {
	pkgs, err := List(ctx, o, "-f={{len .XTestGoFiles}}")
	if err != nil {
		return 0, err
	}
	n := 0
	for line := range strings.Lines(pkgs) {
		n++
		if strings.TrimSpace(line) != "0" {
			n++
		}
	}
	return n, nil
}

func list(ctx context.Context, o Options) ([]*listed, error) {
	out, err := List(ctx, o, "-json=ImportPath,Dir,Match,Error,DepsErrors")
	if err != nil {
		return nil, err
	}
	var pkgs []*listed
	dec := json.NewDecoder(strings.NewReader(out))
	for {
		p := new(listed)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list printed what is not its JSON: %w", err)
		}
		pkgs = append(pkgs, p)
	}
	slices.SortStableFunc(pkgs, func(a, b *listed) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return pkgs, nil
}

// List runs go list -e with more flags on the packages that o names, and
// returns what it prints.
func List(ctx context.Context, o Options, flags ...string) (string, error) {
	args := slices.Concat([]string{"list", "-e"}, flags, o.BuildFlags, []string{"--"})
	cmd := command(ctx, o, append(args, o.Patterns...))
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(out), nil // what it complains of is in go vet's own words already
	}
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	return string(out), nil
}
