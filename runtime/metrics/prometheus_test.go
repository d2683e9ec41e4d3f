// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package metrics_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/gpumem/simdrv"
	"github.com/gpumemlint/gpumemlint/runtime/metrics"
)

// tool finds one of Prometheus's programs, or skips the test.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed; apt-get install prometheus (Debian) to run this test", name)
	}
	return path
}

// TestAlertRules runs promtool's check and the rules' unit tests.
func TestAlertRules(t *testing.T) {
	promtool := tool(t, "promtool")
	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "alerts_test.yml"}} {
		if out, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// alertNames finds the alerts of a rule file.
var alertNames = regexp.MustCompile(`(?m)^ +- alert: (\w+)$`)

// TestAlertsAreTested checks that each alert has a case in which it fires and
// one in which it does not, and that each is there that the docs name.
func TestAlertsAreTested(t *testing.T) {
	cases, err := os.ReadFile("alerts_test.yml")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile(filepath.Join("..", "..", "docs", "runtime.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := alertNames.FindAllStringSubmatch(metrics.AlertRules, -1)
	if len(found) != 10 {
		t.Errorf("%d alerts, want 10", len(found))
	}
	for _, m := range found {
		name := regexp.QuoteMeta(m[1])
		fires := regexp.MustCompile(`alertname: ` + name + `\n +eval_time: \w+\n +exp_alerts:\n +- exp_labels`)
		silent := regexp.MustCompile(`alertname: ` + name + `\n +eval_time: \w+\n +exp_alerts: \[\]`)
		if !fires.Match(cases) || !silent.Match(cases) {
			t.Errorf("%s has no case in which it fires, or none in which it does not", m[1])
		}
		if !bytes.Contains(docs, []byte(m[1])) {
			t.Errorf("docs/runtime.md does not say what to do about %s", m[1])
		}
	}
}

// metricName matches names of ours in an expression. Recorded series have a
// colon.
var metricName = regexp.MustCompile(`\b(gpumem[a-z_]*(?::[a-z0-9_]+)*)\b`)

// TestExpressionsNameMetrics checks each metric in alert rules and dashboard
// against what a collector sends or a rule records.
func TestExpressionsNameMetrics(t *testing.T) {
	c, _ := full(t)
	known := names(t, c)
	for _, m := range regexp.MustCompile(`record: (\S+)`).FindAllStringSubmatch(metrics.AlertRules, -1) {
		known = append(known, m[1])
	}
	check := func(where, expr string) {
		for _, name := range metricName.FindAllString(expr, -1) {
			if !slices.Contains(known, name) && !slices.Contains(known, strings.TrimSuffix(name, "_bucket")) {
				t.Errorf("%s: no metric %s", where, name)
			}
		}
	}
	n := 0
	for _, e := range ruleExpressions() {
		check("alerts.yml", e)
		n++
	}
	for _, e := range dashboardExpressions(t) {
		check("dashboard.json", e)
		n++
	}
	if n < 35 {
		t.Errorf("only %d expressions found", n)
	}
	used := strings.Join(dashboardExpressions(t), "\n")
	for _, name := range contract {
		if name != "gpumem_build_info" && !strings.Contains(used, name) {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
}

// ruleExpressions are the lines of the rules' expr fields.
func ruleExpressions() (out []string) {
	in := false
	for _, line := range strings.Split(metrics.AlertRules, "\n") {
		field := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(field, "expr:"):
			in = true
			out = append(out, strings.TrimPrefix(field, "expr:"))
		case in && (strings.HasPrefix(field, "for:") || strings.HasPrefix(field, "labels:") || strings.HasPrefix(field, "- ") || strings.HasPrefix(field, "#")):
			in = false
		case in:
			out = append(out, field)
		}
	}
	return out
}

// dashboardExpressions are the queries of all panels.
func dashboardExpressions(t *testing.T) (out []string) {
	t.Helper()
	var d struct {
		UID        string
		Title      string
		Templating struct{ List []struct{ Name string } }
		Panels     []struct {
			ID      int
			Title   string
			Type    string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(metrics.Dashboard), &d); err != nil {
		t.Fatalf("dashboard.json: %v", err)
	}
	if d.UID == "" || d.Title == "" || len(d.Templating.List) != 3 {
		t.Errorf("dashboard.json: uid %q, title %q, %d variables, want 3", d.UID, d.Title, len(d.Templating.List))
	}
	ids, filled := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.Title == "" || p.Type == "" || len(p.Targets) == 0 {
			t.Errorf("dashboard.json: panel %d %q lacks something, or its id is not its own", p.ID, p.Title)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := filled[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("dashboard.json: %q lies on %q, or outside", p.Title, other)
				}
				filled[[2]int{x, y}] = p.Title
			}
		}
		for _, q := range p.Targets {
			out = append(out, q.Expr)
		}
	}
	return out
}

// TestDashboardQueriesParse hands the dashboard's queries to promtool as rules.
func TestDashboardQueriesParse(t *testing.T) {
	promtool := tool(t, "promtool")
	var rules strings.Builder
	rules.WriteString("groups:\n- name: dashboard\n  rules:\n")
	for i, e := range dashboardExpressions(t) {
		e = strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*", "$uuid", ".*").Replace(e)
		fmt.Fprintf(&rules, "  - record: query:%d\n    expr: %s\n", i, strconv.Quote(e))
	}
	file := filepath.Join(t.TempDir(), "queries.yml")
	if err := os.WriteFile(file, []byte(rules.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(promtool, "check", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

// speed is how fast time runs in an attempt of TestAlertFires: at 600 half an
// hour of the rules is three seconds. A machine that is busy with other tests
// does not keep up with that, so there are slower attempts.
type speed struct {
	faster       int
	scrape, eval string
	limit        time.Duration
}

var speeds = []speed{
	{600, "100ms", "200ms", 40 * time.Second},
	{200, "300ms", "500ms", 90 * time.Second},
	{50, "1s", "2s", 4 * time.Minute},
}

var (
	minutes = regexp.MustCompile(`\b(\d+)m\b`)
	hours   = regexp.MustCompile(`\b(\d+)h\b`)
)

// speedUp divides every duration of the rules.
func speedUp(rules string, faster int) string {
	divide := func(re *regexp.Regexp, ms int) {
		rules = re.ReplaceAllStringFunc(rules, func(s string) string {
			n, _ := strconv.Atoi(s[:len(s)-1])
			return fmt.Sprintf("%dms", n*ms/faster)
		})
	}
	divide(hours, 3_600_000)
	divide(minutes, 60_000)
	return strings.ReplaceAll(rules, "4 * 3600", fmt.Sprintf("4 * 3600 / %d", faster))
}

// program is one that Prometheus scrapes. Each step takes a few buffers and
// gives back all, or all but one.
func program(t *testing.T, leaks bool) (address string) {
	t.Helper()
	d := open(t, simdrv.New(simdrv.Config{Capacity: 64 << 30, NoRaceCheck: true}))
	mux := http.NewServeMux()
	if err := metrics.Register(mux, metrics.Devices(d)); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(mux)
	done, stopped := make(chan struct{}), make(chan struct{})
	var lost []gpumem.Buffer
	go func() {
		defer close(stopped)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for step := 0; ; step++ {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			n := 2 + step%5 // the batch varies
			for i := range n {
				b, err := d.Alloc(int64(i+1) << 16)
				if err != nil {
					t.Error(err)
					return
				}
				if leaks && i == 0 {
					lost = append(lost, b)
					continue
				}
				if err := b.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	t.Cleanup(func() {
		close(done)
		<-stopped
		srv.CloseClientConnections() // the server that scraped was killed
		srv.Close()
		for _, b := range lost {
			close1(t, b)
		}
	})
	return strings.TrimPrefix(srv.URL, "http://")
}

// TestAlertFires starts a Prometheus server with the shipped rules, sped up,
// and lets it scrape a program that leaks and one that does not, until the
// alert fires for the first. It must not fire for the second.
func TestAlertFires(t *testing.T) {
	server := tool(t, "prometheus")
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	leaky, clean := program(t, true), program(t, false)
	for _, s := range speeds {
		text, fired := s.scrapeUntilFired(t, server, leaky, clean)
		if fired {
			t.Logf("time running %d times faster: %s", s.faster, text)
			return
		}
		t.Logf("not fired in %v with time running %d times faster: %s", s.limit, s.faster, text)
	}
	t.Errorf("GPUMemLeakSuspected did not fire for %s", leaky)
}

// scrapeUntilFired runs a server until the alert fires, or the limit is over.
func (s speed) scrapeUntilFired(t *testing.T, server, leaky, clean string) (text string, fired bool) {
	t.Helper()
	dir := t.TempDir()
	config := fmt.Sprintf(`
global: {scrape_interval: %s, scrape_timeout: %s, evaluation_interval: %s}
rule_files: [rules.yml]
scrape_configs:
- job_name: gpumem
  static_configs:
  - targets: [%q, %q]
`, s.scrape, s.scrape, s.eval, leaky, clean)
	for name, text := range map[string]string{"prometheus.yml": config, "rules.yml": speedUp(metrics.AlertRules, s.faster)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.limit)
	defer cancel()
	address := freeAddress(t)
	cmd := exec.CommandContext(ctx, server, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+address, "--log.level=warn")
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	for ctx.Err() == nil {
		select {
		case err := <-exited:
			if ctx.Err() == nil {
				t.Fatalf("prometheus ended: %v\n%s", err, log.String())
			}
			exited <- err // it was stopped since the limit is over
		case <-time.After(200 * time.Millisecond):
		}
		firing := firingAlerts(ctx, address)
		text = strings.Join(firing, ", ")
		for _, a := range firing {
			if strings.Contains(a, clean) {
				t.Errorf("an alert fires for the program that does not leak: %s", a)
			}
		}
		if fired = slices.Contains(firing, "GPUMemLeakSuspected "+leaky); fired {
			break
		}
	}
	cancel()
	<-exited
	return text + log.String(), fired
}

// freeAddress gives an address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// firingAlerts lists "name instance" of what fires; nothing while the server
// does not answer yet.
func firingAlerts(ctx context.Context, address string) (out []string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/api/v1/alerts", nil)
	if err != nil {
		return nil
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	var answer struct {
		Data struct {
			Alerts []struct {
				Labels map[string]string
				State  string
			}
		}
	}
	if json.NewDecoder(resp.Body).Decode(&answer) != nil {
		return nil
	}
	for _, a := range answer.Data.Alerts {
		if a.State == "firing" {
			out = append(out, a.Labels["alertname"]+" "+a.Labels["instance"])
		}
	}
	return out
}
