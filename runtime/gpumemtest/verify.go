// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
)

// TestingT is what VerifyNone needs of a *testing.T. Its Helper, Log, Failed
// and ArtifactDir are used where it has them.
type TestingT interface {
	Error(args ...any)
}

// TestingM is what VerifyTestMain needs of a *testing.M.
type TestingM interface {
	Run() int
}

// VerifyNone fails t if GPU memory or another resource of a device is alive.
// Call it where everything should be released, at best first thing in the test:
//
//	defer gpumemtest.VerifyNone(t, gpumemtest.IgnoreCurrent())
//
// It checks all devices of the process, so a test that runs in parallel with
// others names its own with [Devices], or uses [New]. A test that has failed
// already is not checked; see [RunOnFailure].
func VerifyNone(t TestingT, opts ...Option) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	c := newConfig(opts)
	if f, ok := t.(interface{ Failed() bool }); ok && f.Failed() && !c.onFailure {
		return // it stopped half-way and leaks what it had no chance to release
	}
	err := c.find()
	if err == nil {
		c.logGrowth(t)
		return
	}
	text := err.Error()
	if note := keepSnapshot(t, c.targets()); note != "" {
		text += "\n" + note
	}
	t.Error(text)
}

// VerifyTestMain runs a package's tests and ends the process: with 1 if they
// passed and the devices that are still open have live resources, and with the
// tests' status otherwise. Call it from TestMain. Devices of New are closed
// with their tests and not seen here.
func VerifyTestMain(m TestingM, opts ...Option) {
	os.Exit(verifyMain(m, func(text string) { fmt.Fprint(os.Stderr, text) }, opts...))
}

func verifyMain(m TestingM, print func(string), opts ...Option) int {
	status := m.Run()
	c := newConfig(opts)
	if status != 0 && !c.onFailure {
		return status // failed tests leak what they had no chance to release
	}
	err := c.find()
	if err == nil {
		return status
	}
	print(fmt.Sprintf("gpumemtest: after the tests: %v\n", err))
	return max(status, 1)
}

// logGrowth mentions what the allocator is not to blame for: memory of the
// device that somebody else took since the baseline.
func (c *config) logGrowth(t TestingT) {
	l, ok := t.(interface{ Log(...any) })
	if !ok {
		return
	}
	for _, d := range c.targets() {
		base, known := c.base[d]
		if !known || !base.ok {
			continue
		}
		now := read(d)
		if grown := (now.used - now.reserved) - (base.used - base.reserved); now.ok && grown > 0 {
			l.Log(fmt.Sprintf("%s: nothing leaked, and %v more of the device's memory are in use outside this allocator than before",
				d.Name(), gpumem.Bytes(grown)))
		}
	}
}

// keepSnapshot writes what the devices hold to the test's artifact directory,
// where Go has one and is asked to keep it, and says where it is.
func keepSnapshot(t TestingT, devices []*gpumem.Device) string {
	a, ok := t.(interface{ ArtifactDir() string })
	if !ok {
		return "" // an older Go
	}
	if f := flag.Lookup("test.artifacts"); f == nil || f.Value.String() != "true" {
		return "run go test -artifacts to keep a snapshot for PyTorch's memory viewer and `gpumem report`"
	}
	dir := a.ArtifactDir()
	for i := range 1000 { // a test may fail more than once
		name := filepath.Join(dir, "gpumem-leak.json")
		if i > 0 {
			name = filepath.Join(dir, fmt.Sprintf("gpumem-leak-%d.json", i))
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return fmt.Sprintf("no snapshot: %v", err)
		}
		err = profile.Take(devices...).WriteJSON(f)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return fmt.Sprintf("no snapshot: %v", err)
		}
		return "snapshot: " + name
	}
	return ""
}

// peakSites names who held most at the peak, if the device keeps a history.
func peakSites(d *gpumem.Device) string {
	top := profile.NewWalk(profile.Take(d), max(d.Info().Ordinal, 0)).TopAtPeak(3)
	if len(top) == 0 {
		return ""
	}
	var parts []string
	for _, s := range top {
		parts = append(parts, fmt.Sprintf("%s %v", s.Name, gpumem.Bytes(s.Bytes)))
	}
	return "; most by " + strings.Join(parts, ", ")
}
