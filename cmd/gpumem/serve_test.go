// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/gpumemlint/gpumemlint/runtime/metrics"
)

// TestServe starts the command, scrapes it and stops it.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	found := make(chan string, 1)
	var mu sync.Mutex
	var log bytes.Buffer
	address := regexp.MustCompile(`http://\S+`)
	drv := machine()
	env := &environment{ctx: ctx, stdin: strings.NewReader(""), stdout: io.Discard, stderr: writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		if a := address.Find(p); a != nil {
			found <- string(a)
		}
		return log.Write(p)
	}), openDriver: func() (driver, error) { return drv, nil }}
	done := make(chan int, 1)
	go func() { done <- env.run([]string{"serve", "-listen", "127.0.0.1:0", "-processes"}) }()
	var url string
	select {
	case url = <-found:
	case status := <-done:
		t.Fatalf("ended with %d: %s", status, log.String())
	}
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	for _, want := range []string{
		"gpumem_driver_up 1",
		`gpumem_device_total_bytes{device="0",uuid="GPU-a"} 1.5032385536e+11`,
		`gpumem_device_used_bytes{device="0",uuid="GPU-a"} 3.758096384e+10`,
		`gpumem_device_reserved_bytes{device="0",uuid="GPU-a"} 5.36870912e+08`,
		`gpumem_device_utilization_ratio{device="0",uuid="GPU-a"} 0.37`,
		`gpumem_device_used_bytes{device="1.4",uuid="MIG-c"} 3.221225472e+09`,
		`gpumem_device_process_used_bytes{device="0",pid="4711",process="train",uuid="GPU-a"} 3.221225472e+10`,
		`gpumem_device_process_used_bytes{device="1.4",pid="7",process="infer",uuid="MIG-c"} 3.221225472e+09`,
	} {
		if !strings.Contains(string(body), want+"\n") {
			t.Errorf("no line %s", want)
		}
	}
	for _, not := range []string{`utilization_ratio{device="1"`, `pid="99"`, `process_used_bytes{device="1",`} {
		if strings.Contains(string(body), not) {
			t.Errorf("%q, which nobody knows or is told twice", not)
		}
	}
	if t.Failed() {
		t.Logf("%s", body)
	}
	cancel()
	if status := <-done; status != exitOK || !drv.closed {
		t.Errorf("stopped with %d, driver closed: %v: %s", status, drv.closed, log.String())
	}
}

func TestDriverCollector(t *testing.T) {
	if problems, err := testutil.CollectAndLint(newDriverCollector(machine(), true)); err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v, %v", problems, err)
	}
	broken := machine()
	broken.devices, broken.err = nil, io.ErrUnexpectedEOF
	if err := testutil.CollectAndCompare(newDriverCollector(broken, false), strings.NewReader(`
# HELP gpumem_driver_up Whether the driver answers.
# TYPE gpumem_driver_up gauge
gpumem_driver_up 0
`)); err != nil {
		t.Error(err)
	}
}

// TestServePrints checks the files that serve hands out, and its mistakes.
func TestServePrints(t *testing.T) {
	if status, out, _ := runWith(nil, "serve", "-rules"); status != exitOK || out != metrics.AlertRules {
		t.Errorf("-rules: status %d, %d bytes", status, len(out))
	}
	if status, out, _ := runWith(nil, "serve", "-dashboard"); status != exitOK || out != metrics.Dashboard {
		t.Errorf("-dashboard: status %d, %d bytes", status, len(out))
	}
	if status, _, errs := runWith(nil, "serve"); status != exitFailed || !strings.Contains(errs, "NVML is not available") {
		t.Errorf("no driver: status %d, %q", status, errs)
	}
	if status, _, errs := runWith(machine(), "serve", "-listen", "256.0.0.1:http"); status != exitFailed || strings.Count(errs, "\n") != 1 {
		t.Errorf("a bad address: status %d, %q", status, errs)
	}
	for _, args := range [][]string{{"-rules", "-dashboard"}, {"extra"}} {
		if status, _, errs := runWith(machine(), append([]string{"serve"}, args...)...); status != exitUsage {
			t.Errorf("%v: status %d, %q", args, status, errs)
		}
	}
}
