// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package prover_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	outjson "github.com/gpumemlint/gpumemlint/internal/output/json"
	"github.com/gpumemlint/gpumemlint/rules"
)

// prove runs gpumemlint test in a folder and returns what it reports.
func prove(t *testing.T, dir string, args ...string) (*output.Report, string) {
	t.Helper()
	cmd := exec.Command(tool, append([]string{"test", "-format", "json"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 3) {
		t.Fatalf("gpumemlint test: %v\n%s", err, stderr.String())
	}
	rep, err := outjson.Read(&stdout)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return rep, stderr.String()
}

var (
	// A twin is a function, or a type with methods.
	twin      = regexp.MustCompile(`(Wrong|Right)([0-9]{3})([A-Z]\w*)`)
	wrongFunc = regexp.MustCompile(`(?m)^(?:func (?:\(\w+ \*?\w+\) )?|type )Wrong([0-9]{3})([A-Z]\w*)`)
)

// wrongTwins lists the functions of the suite that are wrong, and which rule
// they break. The twins of a rule that is only planned wait for its pass.
func wrongTwins(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	twins := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range wrongFunc.FindAllStringSubmatch(string(data), -1) {
			if rule, ok := rules.RuleByID("GM" + m[1]); ok && !rule.Planned {
				twins["Wrong"+m[1]+m[2]] = rule.ID
			}
		}
	}
	return twins
}

// TestSuite tries out one program and more for each rule: what is wrong must
// be confirmed, what is right must not, and no run may see anything in it.
func TestSuite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "suite")
	twins := wrongTwins(t, dir)
	rep, stderr := prove(t, dir, "./...")
	confirmed := map[string]bool{}
	for _, f := range rep.Findings {
		m := twin.FindStringSubmatch(f.Function)
		if f.Proof == nil {
			t.Errorf("%s:%d: %s has no proof", f.File, f.Line, f.Message)
			continue
		}
		shown := f.Proof.Verdict == output.Confirmed || f.Proof.Verdict == output.Observed
		switch {
		case m == nil:
			t.Errorf("%s:%d: %s: outside of the twins: %s", f.File, f.Line, f.Message, f.Proof.Detail)
		case m[1] == "Right" && shown:
			t.Errorf("%s:%d: %s: %s of what is right: %s", f.File, f.Line, f.Message, f.Proof.Verdict, f.Proof.Detail)
		case m[1] == "Wrong" && shown && f.Rule == "GM"+m[2]:
			confirmed["Wrong"+m[2]+m[3]] = true
		case m[1] == "Wrong" && f.Rule == "GM"+m[2]:
			t.Logf("%s:%d: %s: %s: %s", f.File, f.Line, f.Message, f.Proof.Verdict, f.Proof.Detail)
		}
	}
	for name, rule := range twins {
		if !confirmed[name] {
			t.Logf("%s: %s is not confirmed", name, rule)
		}
	}
	t.Logf("%d of %d wrong programs confirmed", len(confirmed), len(twins))
	if 10*len(confirmed) < 9*len(twins) {
		t.Errorf("%d of %d wrong programs confirmed, want nine in ten\n%s", len(confirmed), len(twins), stderr)
	}
}
