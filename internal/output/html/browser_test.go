// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package html_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"
)

// probe is a page that looks at another in two frames, as wide as a desktop
// and as a phone. A report has no script, so somebody else must do the looking.
const probe = `<!doctype html><title>waiting</title>
<iframe id="desktop" src="/report.html" style="width:1280px;height:900px"></iframe>
<iframe id="phone" src="/report.html" style="width:390px;height:800px"></iframe>
<script>
onload = () => {
	const look = id => {
		const d = document.getElementById(id).contentDocument
		const w = d.defaultView
		const seen = () => [...d.querySelectorAll('.finding')].filter(f => w.getComputedStyle(f).display != 'none').length
		const all = seen()
		const box = d.getElementById('show-v-confirmed')
		box.click()
		const less = seen()
		box.click()
		const code = d.querySelector('.code').getBoundingClientRect(), why = d.querySelector('.why').getBoundingClientRect()
		const dot = d.querySelector('.path circle').getBoundingClientRect(), hit = d.querySelector('.line.hit').getBoundingClientRect()
		return {
			all, less, again: seen(),
			overflow: d.documentElement.scrollWidth - d.documentElement.clientWidth,
			beside: code.left >= why.right, below: code.top >= why.bottom,
			dotOnLine: dot.top >= hit.top && dot.bottom <= hit.bottom,
			area: d.querySelector('.area').getBBox().height,
			alerts: d.querySelectorAll('script').length,
		}
	}
	const pre = document.createElement('pre')
	pre.id = 'result'
	pre.textContent = JSON.stringify({desktop: look('desktop'), phone: look('phone')})
	document.body.append(pre)
}
</script>`

type look struct {
	All, Less, Again         int
	Overflow                 float64
	Beside, Below, DotOnLine bool
	Area                     float64
	Alerts                   int
}

// TestBrowser opens the page in a real browser.
func TestBrowser(t *testing.T) {
	browser := findBrowser(t)
	r, o := sample(t)
	page := render(t, r, o)
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		asked = append(asked, req.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch req.URL.Path {
		case "/":
			fmt.Fprint(w, probe)
		case "/report.html":
			fmt.Fprint(w, page)
		default:
			http.NotFound(w, req)
		}
	}))
	defer server.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--user-data-dir="+t.TempDir(), "--virtual-time-budget=10000", "--dump-dom", server.URL+"/")
	cmd.WaitDelay = 5 * time.Second
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	m := regexp.MustCompile(`<pre id="result">(.*)</pre>`).FindSubmatch(dom)
	if m == nil {
		t.Fatalf("the page was not looked at:\n%s", dom)
	}
	var got struct{ Desktop, Phone look }
	if err := json.Unmarshal(m[1], &got); err != nil {
		t.Fatalf("%s: %v", m[1], err)
	}
	for name, l := range map[string]look{"desktop": got.Desktop, "phone": got.Phone} {
		if l.All != 3 || l.Less != 2 || l.Again != 3 {
			t.Errorf("%s: %d findings, %d without the confirmed one, then %d; want 3, 2, 3", name, l.All, l.Less, l.Again)
		}
		if l.Overflow > 0 {
			t.Errorf("%s: the page is %v pixels wider than the screen", name, l.Overflow)
		}
		if !l.DotOnLine {
			t.Errorf("%s: the first stop of the path is not on its line", name)
		}
		if l.Area <= 0 {
			t.Errorf("%s: the chart shows no area", name)
		}
		if l.Alerts > 0 {
			t.Errorf("%s: %d scripts got into the page", name, l.Alerts)
		}
	}
	if !got.Desktop.Beside || !got.Phone.Below {
		t.Errorf("the source is beside the finding on a desktop: %v, and below it on a phone: %v; want both", got.Desktop.Beside, got.Phone.Below)
	}
	slices.Sort(asked)
	for _, path := range slices.Compact(asked) {
		if path != "/" && path != "/report.html" && path != "/favicon.ico" {
			t.Errorf("the page asked for %s", path)
		}
	}
}

// findBrowser skips the test on a machine without Chromium.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium on PATH; install it to test the page in a browser")
	return ""
}
