// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package sarif_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/output/sarif"
	"github.com/gpumemlint/gpumemlint/rules"
)

// A node is a place in a decoded JSON document.
type node struct {
	t *testing.T
	v any
}

// at walks down by field names and, for an int, list indices. A missing step
// fails the test.
func (n node) at(path ...any) node {
	n.t.Helper()
	v := n.v
	for i, step := range path {
		switch step := step.(type) {
		case string:
			m, ok := v.(map[string]any)
			if v, ok = m[step]; !ok {
				n.t.Fatalf("no %v", path[:i+1])
			}
		case int:
			list, ok := v.([]any)
			if !ok || step >= len(list) {
				n.t.Fatalf("no %v", path[:i+1])
			}
			v = list[step]
		}
	}
	return node{n.t, v}
}

func (n node) is(want any, path ...any) {
	n.t.Helper()
	if got := n.at(path...).v; got != want {
		n.t.Errorf("%v = %v, want %v", path, got, want)
	}
}

func write(t *testing.T, r *output.Report) (node, string) {
	t.Helper()
	var buf bytes.Buffer
	if err := sarif.Write(&buf, r, "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(buf.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return node{t, v}, buf.String()
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(path, []byte("package a\nvar é, 𝄞 = f()\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := output.New([]output.Finding{{
		Rule: "GM101", Tier: "likely", Package: "p", File: "sub dir/a.go", Path: path, Line: 2, Column: 15, EndLine: 2, EndColumn: 18,
		Function: "f", Message: "tensor is lost (GM101)", Resource: "tensor",
		Acquired: &output.Place{File: "sub dir/a.go", Line: 1},
		Trace:    []output.Step{{File: "sub dir/a.go", Line: 1, Text: "acquired"}, {File: "/abs/b.go", Line: 7, Text: "lost"}},
	}, {
		Rule: "GM102", Tier: "possible", File: "z.go", Line: 1, Column: 1, Message: "m (GM102)",
	}}, nil)
	n, all := write(t, r)
	n.is("2.1.0", "version")
	run := n.at("runs", 0)
	run.is("gpumemlint", "tool", "driver", "name")
	run.is("v1.2.3", "tool", "driver", "version")
	run.is("utf16CodeUnits", "columnKind")
	run.is(true, "invocations", 0, "executionSuccessful")

	res := run.at("results", 0)
	res.is("GM101", "ruleId")
	res.is("warning", "level")
	res.is("tensor is lost (GM101)", "message", "text")
	res.is(r.Findings[0].Fingerprint, "partialFingerprints", "gpumemlint/v1")
	res.is("sub%20dir/a.go", "locations", 0, "physicalLocation", "artifactLocation", "uri")
	res.is("%SRCROOT%", "locations", 0, "physicalLocation", "artifactLocation", "uriBaseId")
	// é is two bytes and one unit, the clef four bytes and two units.
	res.is(12.0, "locations", 0, "physicalLocation", "region", "startColumn")
	res.is(15.0, "locations", 0, "physicalLocation", "region", "endColumn")
	res.is("p.f", "locations", 0, "logicalLocations", 0, "fullyQualifiedName")
	res.is(1.0, "relatedLocations", 0, "physicalLocation", "region", "startLine")
	res.is("lost", "codeFlows", 0, "threadFlows", 0, "locations", 1, "location", "message", "text")
	res.is("file:///abs/b.go", "codeFlows", 0, "threadFlows", 0, "locations", 1, "location", "physicalLocation", "artifactLocation", "uri")
	res.is("likely", "properties", "tier")
	index := int(res.at("ruleIndex").v.(float64))
	run.is("GM101", "tool", "driver", "rules", index, "id")

	run.is("note", "results", 1, "level")
	if strings.Contains(all, path) {
		t.Error("the file names this machine's folders")
	}
}

// TestRules checks that the rules carry what the catalogue says, and that
// those which nothing reports are left out.
func TestRules(t *testing.T) {
	n, _ := write(t, output.New(nil, nil))
	list := n.at("runs", 0, "tool", "driver", "rules")
	i := 0
	for _, r := range rules.Catalog() {
		if r.Planned {
			continue
		}
		list.is(r.ID, i, "id")
		list.is(r.Title, i, "shortDescription", "text")
		list.is(string(r.Severity), i, "defaultConfiguration", "level")
		if md := list.at(i, "help", "markdown").v.(string); !strings.HasPrefix(md, "# "+r.ID) {
			t.Errorf("help of %s begins with %.40q", r.ID, md)
		}
		i++
	}
	if n := len(list.v.([]any)); n != i {
		t.Errorf("%d rules, want %d", n, i)
	}
	if results := n.at("runs", 0, "results").v.([]any); len(results) != 0 {
		t.Errorf("results %v, want an empty list", results)
	}
}

func TestFailures(t *testing.T) {
	r := output.New(nil, nil)
	r.Failures = []string{"p does not compile"}
	n, _ := write(t, r)
	inv := n.at("runs", 0, "invocations", 0)
	inv.is(false, "executionSuccessful")
	inv.is("p does not compile", "toolExecutionNotifications", 0, "message", "text")
}

// TestProof checks that viewers see what the runs say: in the message, since
// few show properties, and there as well.
func TestProof(t *testing.T) {
	f := output.Finding{Rule: "GM101", Tier: "likely", File: "a.go", Line: 1, Message: "lost (GM101)",
		Proof: &output.Proof{Verdict: output.NotExercised, Test: "", Detail: "no test comes here"}}
	n, _ := write(t, output.New([]output.Finding{f}, nil))
	n.is("lost (GM101). Not exercised: no test comes here", "runs", 0, "results", 0, "message", "text")
	n.is("not-exercised", "runs", 0, "results", 0, "properties", "proof", "verdict")
}
