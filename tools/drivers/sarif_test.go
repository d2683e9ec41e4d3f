// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gpumemlint/gpumemlint/tools/modcache"
)

// sarifSchema is where OASIS' schema of SARIF 2.1.0 (with errata 01) can be
// had through the module proxy.
var sarifSchema = modcache.Module{Path: "github.com/securego/gosec/v2", Version: "v2.29.0", Sum: "h1:pF2HSLcnY5voqpxQumEe0O5YAAbvF4Syu4qeIewpLyc="}

// validator compiles a schema.
func validator(t *testing.T, path string) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSARIF validates what the whole corpus gives, and what a run that fails
// gives, and checks what code hosts need beyond the schema.
func TestSARIF(t *testing.T) {
	dir, err := sarifSchema.Fetch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	schema := validator(t, filepath.Join(dir, "report", "sarif", "testdata", "sarif-schema-2.1.0.json"))
	linter := buildLinter(t)
	c := newTree(t)
	write(t, filepath.Join(c.dir, "broken", "broken.go"), []byte("package broken\n\nfunc f() { missing() }\n"))
	for _, tt := range []struct {
		name   string
		args   []string
		status int
	}{
		{"corpus", []string{"-tier", "possible", "-models", c.models, "./bugs/...", "./passes/...", "./matrix/...", "./examples/..."}, 3},
		{"directives", []string{"-check-nolint", "./nolint/..."}, 3},
		{"nothing", []string{"./nolint/pool"}, 0},
		{"failure", []string{"./broken", "./nolint"}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command(linter, append([]string{"-format", "sarif"}, tt.args...)...)
			cmd.Dir, cmd.Env = c.dir, c.env()
			out, err := cmd.Output()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() != tt.status {
				t.Fatalf("gpumemlint: %v, want status %d", err, tt.status)
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc); err != nil {
				t.Errorf("not valid: %v", err)
			}
			if paths := checkSARIF(t, c, out); tt.name == "corpus" && paths < 500 {
				t.Errorf("%d findings have their path, want most", paths)
			}
		})
	}
	// The validator must be able to say no.
	bad, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"version": "2.1.0", "runs": [{"results": []}]}`))
	if schema.Validate(bad) == nil {
		t.Error("the schema accepts a run without a tool")
	}
}

type sarifLocation struct {
	PhysicalLocation struct {
		ArtifactLocation struct{ URI, URIBaseID string }
		Region           struct{ StartLine, StartColumn int }
	}
	Message struct{ Text string }
}

type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []struct {
					ID                                string
					ShortDescription, FullDescription struct{ Text string }
					Help                              struct{ Text, Markdown string }
					HelpURI                           string
				}
			}
		}
		Results []struct {
			RuleID              string
			RuleIndex           *int
			Message             struct{ Text string }
			Locations           []sarifLocation
			RelatedLocations    []sarifLocation
			PartialFingerprints map[string]string
			CodeFlows           []struct {
				ThreadFlows []struct {
					Locations []struct{ Location sarifLocation }
				}
			}
		}
	}
}

// checkSARIF checks that rules explain themselves, that every place is a line
// of a file below the root, and that fingerprints tell results apart. It
// returns how many results have a path: those about what becomes of a
// resource do, those about how a type is written need none.
func checkSARIF(t *testing.T, c *tree, data []byte) (paths int) {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	for _, r := range run.Tool.Driver.Rules {
		if r.ShortDescription.Text == "" || r.FullDescription.Text == "" || r.Help.Text == "" || !strings.HasPrefix(r.Help.Markdown, "# "+r.ID) || !strings.HasSuffix(r.HelpURI, r.ID+".md") {
			t.Errorf("%s lacks a description or help", r.ID)
		}
	}
	lines := map[string]int{}
	place := func(l sarifLocation) {
		t.Helper()
		p := l.PhysicalLocation
		if p.ArtifactLocation.URIBaseID != "%SRCROOT%" || strings.HasPrefix(p.ArtifactLocation.URI, "/") || strings.Contains(p.ArtifactLocation.URI, ":") {
			return // of another module; checked below for results
		}
		if _, ok := lines[p.ArtifactLocation.URI]; !ok {
			text, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(p.ArtifactLocation.URI)))
			if err != nil {
				t.Errorf("%v", err)
			}
			lines[p.ArtifactLocation.URI] = bytes.Count(text, []byte("\n")) + 1
		}
		if n := p.Region.StartLine; n < 1 || n > lines[p.ArtifactLocation.URI] {
			t.Errorf("%s has no line %d", p.ArtifactLocation.URI, n)
		}
	}
	seen := map[string]bool{}
	for _, r := range run.Results {
		for name, print := range r.PartialFingerprints {
			if seen[name+print] {
				t.Errorf("two results have the fingerprint %s: %s", print, r.Message.Text)
			}
			seen[name+print] = true
		}
		if len(r.PartialFingerprints) == 0 || len(r.Locations) != 1 {
			t.Errorf("%s: %d fingerprints, %d locations", r.Message.Text, len(r.PartialFingerprints), len(r.Locations))
			continue
		}
		if r.Locations[0].PhysicalLocation.ArtifactLocation.URIBaseID != "%SRCROOT%" {
			t.Errorf("%s: is not below the root", r.Message.Text)
		}
		place(r.Locations[0])
		if r.RuleID == "nolint" {
			continue // about a directive: no resource, no path
		}
		if r.RuleIndex == nil || run.Tool.Driver.Rules[*r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s: its rule is not described", r.Message.Text)
		}
		for _, l := range r.RelatedLocations {
			place(l)
		}
		if len(r.CodeFlows) == 0 {
			continue
		}
		paths++
		for _, s := range r.CodeFlows[0].ThreadFlows[0].Locations {
			place(s.Location)
			if s.Location.Message.Text == "" {
				t.Errorf("%s: a step of its path says nothing", r.Message.Text)
			}
		}
	}
	return paths
}
