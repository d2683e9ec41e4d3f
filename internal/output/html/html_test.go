// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package html_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpumemlint/gpumemlint/internal/output"
	"github.com/gpumemlint/gpumemlint/internal/output/html"
)

const source = `package p

func New(n int) (*T, error) {
	a, err := acquire(n) // <b>one</b> & only
	if err != nil {
		return nil, err
	}
	for i := range n {
		if i > "</script><script>alert(1)</script>" {
			continue
		}
		b, err := acquire(2 * n)
		if err != nil {
			return nil, err
		}
		use(a, b)
	}
	return &T{a}, nil
}
`

// sample is a report with everything that a page can show.
func sample(t *testing.T) (*output.Report, html.Options) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "p"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "p", "p.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "p", "user.go"), []byte("package p\n\nfunc use() {\n\tNew(1)\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	at := strings.Index(source, "return nil, err\n\t\t}\n\t\tuse")
	findings := []output.Finding{{
		Rule: "GM101", Pass: "errpath", Tier: "definite", Package: "example.com/m/p", File: "p/p.go", Line: 14, Column: 4,
		Path: filepath.Join(dir, "p", "p.go"), Function: "New", Resource: "tensor",
		Message: "tensor from acquire (line 5) is not freed when this returns: acquire failed (GM101)", Acquired: &output.Place{File: "p/p.go", Line: 4},
		Trace: []output.Step{{File: "p/p.go", Line: 4, Text: "acquired here"}, {File: "p/p.go", Line: 12, Text: "acquire fails"}, {File: "p/p.go", Line: 14, Text: "lost here"}},
		Fixes: []output.Fix{{Message: "Free it first", Edits: []output.Edit{{File: "p/p.go", Start: at, End: at, New: "a.Free()\n\t\t\t"}}}},
		Proof: &output.Proof{Verdict: output.Confirmed, Detail: "held when TestNew ended", Test: "TestNew/<odd>", Runs: 2},
	}, {
		Rule: "GM102", Pass: "leak", Tier: "likely", Package: "example.com/m/p", File: "p/p.go", Line: 12, Column: 13,
		Path: filepath.Join(dir, "p", "p.go"), Function: "New", Resource: "tensor", Message: "tensor from acquire is never freed (GM102)",
		Trace: []output.Step{{File: "p/p.go", Line: 12, Text: "acquired here"}, {File: "p/p.go", Line: 16, Text: "used"}, {File: "p/p.go", Line: 8, Text: "the loop goes on"}},
		Proof: &output.Proof{Verdict: output.NotExercised, Detail: "no test acquires at p/p.go:13"},
	}, {
		Rule: "GM102", Pass: "test", Tier: output.TierObserved, Package: "example.com/m/p", File: "p/user.go", Line: 4, Column: 1,
		Path: filepath.Join(dir, "p", "user.go"), Function: "use", Resource: "tensor", Message: "tensor from acquire is held when TestUse ends (GM102)",
		Trace: []output.Step{{File: "p/user.go", Line: 4, Text: "called here"}, {File: "p/p.go", Line: 4, Text: "acquired here"}},
		Proof: &output.Proof{Verdict: output.Observed, Detail: "1 of 1 was never released", Test: "TestUse", Runs: 1},
	}}
	r := output.New(findings, []output.Degraded{{Package: "p", Function: "big", File: "p/p.go", Line: 1, Reason: "more than 20000 instructions"}})
	r.Failures = []string{"example.com/m/q does not compile: <oops>"}
	r.Live = []output.LiveChart{{
		Title: "example.com/m/p", Length: 40,
		Series: []output.LiveSeries{
			{Site: "p/p.go:5", Points: []output.LivePoint{{X: 1, Count: 1}, {X: 5, Count: 4}, {X: 20, Count: 2}, {X: 30, Count: 0}}},
			{Site: "p/p.go:13", Points: []output.LivePoint{{X: 2, Count: 1}, {X: 11, Count: 2}, {X: 25, Count: 3}}},
		},
		Marks: []output.LiveMark{{Name: "TestNew", From: 0, To: 18}, {Name: "TestUse", From: 18, To: 40}},
	}}
	r.Count()
	return r, html.Options{Paths: output.Paths{Root: dir}, Subject: "./...", Version: "v1.2.3"}
}

func render(t *testing.T, r *output.Report, o html.Options) string {
	t.Helper()
	var buf bytes.Buffer
	if err := html.Write(&buf, r, o); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestPage(t *testing.T) {
	r, o := sample(t)
	page := render(t, r, o)
	for _, want := range []string{
		`<b>3</b> <span>findings</span>`,
		`<b>1</b> <span>confirmed</span>`, `<b>1</b> <span>observed</span>`, `<b>1</b> <span>not exercised</span>`,
		`id="show-v-confirmed" checked`, `id="show-t-likely" checked`, `id="show-r-GM102" checked`,
		"body:has(#show-r-GM102:not(:checked)) .finding.r-GM102{display:none}",
		`<span class="message">tensor from acquire (line 5) is not freed when this returns: acquire failed</span>`,
		`held when TestNew ended`, `shown by <code>TestNew/&lt;odd&gt;</code>`,
		`data-n="14"`, `<em class="mark last">lost here</em>`,
		"<pre tabindex=\"0\"><ins>\t\t\ta.Free()\n</ins></pre>", // only what the edit adds, as a whole line
		`example.com/m/q does not compile: &lt;oops&gt;`,
		`more than 20000 instructions`,
		`at most 6 held at a time, 3 at the end`,
		`id="rule-GM101"`,
		`// &lt;b&gt;one&lt;/b&gt; &amp; only`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %q", want)
		}
	}
	for _, bad := range []string{"<script", "ZgotmplZ", "src=", "url(", "@import", "<link", "onload", "%!"} {
		if strings.Contains(page, bad) {
			t.Errorf("page has %q", bad)
		}
	}
}

// TestPlainReport checks the page of a lint run, which has no proofs, and that
// of one that found nothing.
func TestPlainReport(t *testing.T) {
	r, o := sample(t)
	r.Live = nil
	for i := range r.Findings {
		r.Findings[i].Proof = nil
	}
	r.Count()
	page := render(t, r, o)
	for _, bad := range []string{"<h3>Proof</h3>", "show-v-", "Held over"} {
		if strings.Contains(page, bad) {
			t.Errorf("page has %q without a proof", bad)
		}
	}
	if want := `<b>1</b> <span>definite</span>`; !strings.Contains(page, want) {
		t.Errorf("page lacks %q", want)
	}
	empty := render(t, output.New(nil, nil), html.Options{})
	if !strings.Contains(empty, "No findings.") || strings.Contains(empty, "<form") {
		t.Errorf("the page of a clean run is not clean:\n%s", empty)
	}
}

// TestPath checks how a path is drawn: down, around a loop, and not at all
// between two files.
func TestPath(t *testing.T) {
	r, o := sample(t)
	page := render(t, r, o)
	// The function begins at line 3. From line 16 around the left to line 8.
	if want := "M22 297H14Q8 297 8 291V127Q8 121 14 121H21"; !strings.Contains(page, want) {
		t.Errorf("no way back up is drawn, want %q", want)
	}
	if want := "M30 41V200"; !strings.Contains(page, want) { // from line 4 to line 12
		t.Errorf("no way down is drawn, want %q", want)
	}
	card := page[strings.Index(page, "p/user.go:4</span>"):]
	if strings.Contains(card[:strings.Index(card, "</details>")], `<path d=`) {
		t.Error("a line is drawn between stops of different files")
	}
}

// TestMissingSource checks findings whose source is gone or has changed.
func TestMissingSource(t *testing.T) {
	f := output.Finding{
		Rule: "GM102", Tier: "definite", File: "gone.go", Line: 9, Message: "x (GM102)",
		Trace: []output.Step{{File: "short.go", Line: 99, Text: "acquired"}},
		Fixes: []output.Fix{{Message: "f", Edits: []output.Edit{{File: "short.go", Start: 50, End: 60}}}},
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "short.go"), []byte("package p"), 0o666); err != nil {
		t.Fatal(err)
	}
	page := render(t, output.New([]output.Finding{f}, nil), html.Options{Paths: output.Paths{Root: dir}})
	for _, want := range []string{"The source is not shown.", "gone.go:9", "short.go:99"} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %q", want)
		}
	}
}

// TestHostileSource feeds what is in real modules: lines of a megabyte, bytes
// that are no UTF-8, files that do not parse, carriage returns.
func TestHostileSource(t *testing.T) {
	dir := t.TempDir()
	text := "package p\r\n\r\nfunc f() { /* </pre> */\r\n\tx := `" + strings.Repeat("é<", 1<<19) + "`\r\n\xff\xfe }}} \"\n" + "\x00 'a"
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f := output.Finding{
		Rule: "GM102", Tier: "definite", File: "a.go", Line: 4, Message: "x (GM102)",
		Trace: []output.Step{{File: "a.go", Line: 3, Text: "acquired </em>"}, {File: "a.go", Line: 6, Text: "lost"}},
	}
	page := render(t, output.New([]output.Finding{f}, nil), html.Options{Paths: output.Paths{Root: dir}})
	if n := len(page); n > 40_000 {
		t.Errorf("page of %d bytes: a long line was not cut", n)
	}
	for _, bad := range []string{"/* </pre>", "acquired </em>", "\xff", "\r"} {
		if strings.Contains(page, bad) {
			t.Errorf("page has %q", bad)
		}
	}
	if !strings.Contains(page, "…") {
		t.Error("nothing says that a line was cut")
	}
}

// TestLongFunction checks what is shown of a function that is too long: its
// head, and the lines around each stop.
func TestLongFunction(t *testing.T) {
	dir := t.TempDir()
	text := "package p\n\nfunc long() {\n" + strings.Repeat("\tstep()\n", 200) + "}\n"
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	f := output.Finding{
		Rule: "GM102", Tier: "definite", File: "a.go", Line: 50, Message: "x (GM102)",
		Trace: []output.Step{{File: "a.go", Line: 50, Text: "acquired"}, {File: "a.go", Line: 60, Text: "used"}, {File: "a.go", Line: 180, Text: "lost"}},
	}
	page := render(t, output.New([]output.Finding{f}, nil), html.Options{Paths: output.Paths{Root: dir}})
	for _, want := range []string{`data-n="3"`, `data-n="46"`, `data-n="55"`, `data-n="64"`, `data-n="184"`, "42 more lines", "111 more lines"} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %q", want)
		}
	}
	for _, bad := range []string{`data-n="45"`, `data-n="65"`, `data-n="185"`} {
		if strings.Contains(page, bad) {
			t.Errorf("page has %q", bad)
		}
	}
}

// TestMany checks that a page of many findings stays of a size that a browser
// can take, and that all of them are in it.
func TestMany(t *testing.T) {
	_, o := sample(t)
	var findings []output.Finding
	for i := range 5000 {
		findings = append(findings, output.Finding{
			Rule: "GM102", Tier: "definite", Package: "example.com/m/p", File: "p/p.go", Line: 4, Column: i + 1, Message: "x (GM102)",
			Trace: []output.Step{{File: "p/p.go", Line: 4, Text: "acquired"}, {File: "p/p.go", Line: 14, Text: "lost"}},
		})
	}
	page := render(t, output.New(findings, nil), o)
	if n := strings.Count(page, `<details class="finding`); n != 5000 {
		t.Errorf("%d findings in the page, want 5000", n)
	}
	if strings.Contains(page, " open>") {
		t.Error("findings are unfolded in a page of 5000")
	}
	if !strings.Contains(page, "The last 3000 findings are listed without their source") {
		t.Error("nothing says that the source is not there for all")
	}
	if n := len(page); n > 20<<20 {
		t.Errorf("page of %d bytes", n)
	}
}

// TestChart checks the limits of the chart: more sites than colours, more
// events than pixels, none at all.
func TestChart(t *testing.T) {
	var c output.LiveChart
	c.Title, c.Length = "p", 100_000
	for s := range 12 {
		var series output.LiveSeries
		series.Site = fmt.Sprintf("p.go:%d", s)
		for x := range 5000 {
			n := x % 2 * (s + 1)
			if x == 2501 {
				n = 100 * (s + 1) // a peak of one event
			}
			series.Points = append(series.Points, output.LivePoint{X: float64(20 * x), Count: n})
		}
		c.Series = append(c.Series, series)
	}
	r := output.New(nil, nil)
	r.Live = []output.LiveChart{c, {Title: "empty"}}
	page := render(t, r, html.Options{})
	for _, want := range []string{"other sites", "at most 7800 held at a time, 78 at the end", "at most 0 held at a time", `class="area a7"`} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %q", want)
		}
	}
	if strings.Contains(page, "p.go:3<") {
		t.Error("the lowest series have colours of their own")
	}
	if n := len(page); n > 400_000 {
		t.Errorf("page of %d bytes: the outlines were not thinned", n)
	}
}
