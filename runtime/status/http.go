// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Path is where gpumem top looks for a program's status.
const Path = "/debug/gpumem"

const (
	// maxSites is how many call sites of a device are served. A leak of one
	// small buffer a request is not among the largest for a long time.
	maxSites = 1000
	// maxBody bounds what Fetch reads, in bytes.
	maxBody = 16 << 20
)

// Handler serves the status of the devices that the function lists, such as
// gpumem.Devices, as JSON.
func Handler(devices func() []*gpumem.Device) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_ = json.NewEncoder(w).Encode(Take(devices(), maxSites)) // the connection's end; nobody is left to tell
	})
}

// URL completes what people write: "localhost:8080" means the status of the
// program that listens there.
func URL(text string) (string, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Contains(u.Hostname(), ":") && !strings.HasPrefix(u.Host, "[") {
		return "", fmt.Errorf("%q is not an address such as localhost:8080 or http://host:port%s", text, Path)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = Path
	}
	return u.String(), nil
}

// Fetch reads the status of the program at a URL. client may be nil.
func Fetch(ctx context.Context, client *http.Client, address string) (*Program, error) {
	if client == nil {
		client = http.DefaultClient
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status: %s answers %s; does the program call metrics.Register?", address, resp.Status)
	}
	var p Program
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(&p); err != nil {
		return nil, fmt.Errorf("status: %s does not answer with a status: %w", address, err)
	}
	if p.Version < 1 || p.Version > Version {
		return nil, fmt.Errorf("status: %s answers in version %d of the format; this gpumem reads version %d", address, p.Version, Version)
	}
	return &p, nil
}
