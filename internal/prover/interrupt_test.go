// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package prover_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestInterrupt interrupts a run in the middle of a test: what is known by
// then is printed, and the temporary folder is gone.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no process can be interrupted by another here")
	}
	dir, temp := t.TempDir(), t.TempDir()
	marker := filepath.Join(t.TempDir(), "hanging")
	if err := copyDir(filepath.Join("testdata", "suite", "dev"), filepath.Join(dir, "dev")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.25.0\n",
		"m.go":   "package m\n\nimport \"example.com/m/dev\"\n\nfunc Leak() int {\n\tm := dev.Must(1)\n\treturn m.Bytes()\n}\n\nfunc Other() int {\n\tm := dev.Must(1)\n\treturn m.Bytes()\n}\n",
		"m_test.go": `package m

import (
	"os"
	"testing"
	"time"
)

func TestLeak(t *testing.T) { Leak() }

func TestHang(t *testing.T) {
	os.WriteFile(os.Getenv("MARKER"), nil, 0o666)
	time.Sleep(time.Hour)
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(tool, "test", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, "MARKER="+marker, "GOWORK=off", "GOFLAGS=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 1200 {
		if _, err := os.Stat(marker); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("exit %v, want status 1", err)
	}
	want := `m.go:6:7: device memory from dev.Must is never freed (GM102)
    confirmed by TestLeak: 1 of 1 acquired at m.go:6 still held when TestLeak ends
m.go:11:7: device memory from dev.Must is never freed (GM102)
`
	if got := stdout.String(); got != want {
		t.Errorf("stdout\n%s\nwant what was known\n%s", got, want)
	}
	for _, want := range []string{
		"gpumemlint: interrupted; what was known by then is printed\n",
		"gpumemlint: 2 findings (1 confirmed, 0 not observed, 0 not exercised, 0 observed only, 1 not tried)\n",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr\n%s\nlacks %q", stderr.String(), want)
		}
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

// TestReadme runs what the README tells a newcomer to run, and compares.
func TestReadme(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "go run ./cmd/gpumemlint test ./examples/prove\n") {
		t.Error("README.md does not say how to prove the example")
	}
	cmd := exec.Command(tool, "test", "./examples/prove")
	cmd.Dir = root
	out, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Fatalf("exit %v, want status 3", err)
	}
	if !strings.Contains(string(readme), "```\n"+string(out)+"```\n") {
		t.Errorf("README.md does not have this output in a block of its own:\n%s", out)
	}
}
