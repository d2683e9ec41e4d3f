// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const modulePath = "github.com/gpumemlint/gpumemlint"

// docVersion is the release that the documentation names.
const docVersion = "v0.1.0"

// A world is a machine on which this checkout has been released: the module
// proxy has it as its latest version and its repository has the tag, so that
// what the documentation says to type works before there is a release. Nothing
// is downloaded but what a user would download.
type world struct {
	bin     string // for commands, first on PATH
	version string // of the module, on the proxy
	env     []string
}

// newWorld releases the checkout. Repositories are further ones to serve under
// their address, by folder.
func newWorld(t *testing.T, repositories map[string]string) *world {
	t.Helper()
	base := t.TempDir()
	src := filepath.Join(base, "src")
	snapshot(t, repository(t), src)
	w := &world{bin: filepath.Join(base, "bin")}
	proxy := filepath.Join(base, "proxy")
	w.publish(t, src, proxy)
	makeRepository(t, src, docVersion)
	var config strings.Builder
	config.WriteString("[user]\n\tname = Somebody\n\temail = somebody@example.com\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
	serve := func(address, dir string) {
		fmt.Fprintf(&config, "[url \"file://%s\"]\n\tinsteadOf = %s\n", filepath.ToSlash(dir), address)
	}
	serve("https://"+modulePath, src)
	for address, dir := range repositories {
		serve(address, dir)
	}
	home := filepath.Join(base, "home")
	write(t, filepath.Join(home, ".gitconfig"), []byte(config.String()))
	if err := os.MkdirAll(w.bin, 0o777); err != nil {
		t.Fatal(err)
	}
	w.env = append(os.Environ(),
		"HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "PRE_COMMIT_HOME="+filepath.Join(home, "pre-commit"),
		"PATH="+w.bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GOBIN="+w.bin,
		"GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOPATH="+goEnv(t, "GOPATH"),
		"GOPROXY=file://"+filepath.ToSlash(proxy)+","+goEnv(t, "GOPROXY"), "GONOSUMDB="+modulePath, "GONOSUMCHECK=1",
		"GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "GIT_CONFIG_NOSYSTEM=1",
	)
	return w
}

// publish puts the module onto a proxy in a folder. Its version is made of its
// content: the module cache never gets two contents for one version.
func (w *world) publish(t *testing.T, src, proxy string) {
	t.Helper()
	var buf bytes.Buffer
	if err := zip.CreateFromDir(&buf, module.Version{Path: modulePath, Version: docVersion}, src); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(buf.Bytes())
	w.version = "v0.1.1-0.20260101000000-" + hex.EncodeToString(sum[:6])
	buf.Reset()
	if err := zip.CreateFromDir(&buf, module.Version{Path: modulePath, Version: w.version}, src); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(src, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	info := fmt.Appendf(nil, `{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, w.version)
	dir := filepath.Join(proxy, filepath.FromSlash(modulePath))
	write(t, filepath.Join(dir, "@latest"), info)
	write(t, filepath.Join(dir, "@v", "list"), nil)
	write(t, filepath.Join(dir, "@v", w.version+".info"), info)
	write(t, filepath.Join(dir, "@v", w.version+".mod"), mod)
	write(t, filepath.Join(dir, "@v", w.version+".zip"), buf.Bytes())
}

// sh runs a script as a user would type it, line by line, and returns its
// status and what it prints.
func (w *world) sh(t *testing.T, dir, script string, env ...string) (status int, out string) {
	t.Helper()
	cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(append(w.env[:len(w.env):len(w.env)], "PWD="+dir), env...)
	data, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(data)
}

// must runs a script that has to end with a status.
func (w *world) must(t *testing.T, status int, dir, script string, env ...string) string {
	t.Helper()
	got, out := w.sh(t, dir, script, env...)
	if got != status {
		t.Fatalf("status %d, want %d, of:\n%s\nwhich printed:\n%s", got, status, script, out)
	}
	return out
}

// released replaces the release that the documentation names.
func (w *world) released(text string) string {
	return strings.ReplaceAll(text, docVersion, w.version)
}

// snapshot copies what git knows or would add, as it is in the work tree.
func snapshot(t *testing.T, from, to string) {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = from
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for name := range strings.SplitSeq(strings.Trim(string(out), "\x00"), "\x00") {
		path := filepath.Join(from, filepath.FromSlash(name))
		st, err := os.Lstat(path)
		if err != nil || !st.Mode().IsRegular() {
			continue // removed in the work tree, or a link
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, filepath.FromSlash(name)), data)
	}
}

// makeRepository makes a folder a repository with one commit and a tag.
func makeRepository(t *testing.T, dir, tag string) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "-A"},
		{"-c", "user.name=Somebody", "-c", "user.email=somebody@example.com", "commit", "-q", "--no-verify", "-m", "all of it"},
		{"tag", tag},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

var goEnvs sync.Map

func goEnv(t *testing.T, name string) string {
	t.Helper()
	if v, ok := goEnvs.Load(name); ok {
		return v.(string)
	}
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	v := strings.TrimSpace(string(out))
	goEnvs.Store(name, v)
	return v
}

// app writes the module of a user, with a leak of raw CUDA memory in it.
func app(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/app\n\ngo 1.25.0\n"))
	write(t, filepath.Join(dir, "device", "device.go"), []byte(leaking))
	write(t, filepath.Join(dir, "models.gpumem"), []byte("//gpumem:source https://example.com/my/header.h\npackage C\n\n"+
		"//gpumem:acquire cuda.mem *out\n//gpumem:success status=0\nfunc my_alloc(out *unsafe.Pointer, n C.size_t) C.int\n\n"+
		"//gpumem:release cuda.mem p\nfunc my_free(p unsafe.Pointer) C.int\n"))
	return dir
}

// leaking loses CUDA's memory, and by the models of the user's that of a pool.
const leaking = `package device

/*
#include <cuda_runtime.h>
static int my_alloc(void **out, size_t n) { return n != 8; }
static int my_free(void *p) { return 0; }
*/
import "C"

import "unsafe"

// Lose forgets to free.
func Lose(n int) bool {
	var p unsafe.Pointer

	if C.cudaMalloc(&p, C.size_t(n)) != C.cudaSuccess {
		return false
	}
	return C.cudaMemset(p, 0, C.size_t(n)) == C.cudaSuccess
}

// Pool forgets what only the user's models know of.
func Pool() bool {
	var p unsafe.Pointer
	if C.my_alloc(&p, 8) != 0 {
		return false
	}
	return p != nil
}
`

// lossAt is how the leak is reported.
const lossAt = "device/device.go:16:5: device memory from C.cudaMalloc is never freed (GM102)"

// poolLine is where the other one is.
const poolLine = 25

// mended is the leak mended.
var mended = strings.Replace(leaking, "\treturn C.cudaMemset", "\tdefer C.cudaFree(p)\n\treturn C.cudaMemset", 1)
