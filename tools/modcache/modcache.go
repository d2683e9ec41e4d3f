// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package modcache fetches modules for what is in them besides Go packages:
// schemas, sources of commands. They come through the module proxy, pinned by
// checksum, so that nothing of theirs need be copied into this repository.
package modcache

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// A Module is one release of a module.
type Module struct{ Path, Version, Sum string }

// Fetch returns the module's folder in the module cache. It must not be
// written to.
func (m Module) Fetch(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "modcache-") // outside any module, whose go.sum would have a say
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", m.Path+"@"+m.Version)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GO111MODULE=on", "GOWORK=off", "GOFLAGS=")
	out, err := cmd.Output()
	var got struct{ Dir, Sum, Error string }
	if jsonErr := json.Unmarshal(out, &got); jsonErr != nil || got.Error != "" {
		return "", fmt.Errorf("fetch %s@%s: %v %s", m.Path, m.Version, err, got.Error)
	}
	if got.Sum != m.Sum {
		return "", fmt.Errorf("%s@%s has the checksum %s, want %s", m.Path, m.Version, got.Sum, m.Sum)
	}
	return got.Dir, nil
}
