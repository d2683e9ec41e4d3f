// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package prover_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/goproxytest"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"
)

// TestReadOnly runs transcripts with a module cache in which nothing can be
// written, not the go command's own locks and lists either, as it is in some
// images. It has one module, the suite's library.
func TestReadOnly(t *testing.T) {
	before := bound(t)
	proxy, err := goproxytest.NewServer(published(t), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	p := params(filepath.Join("testdata", "readonly"))
	p.Setup = func(e *testscript.Env) error {
		if err := setup(e); err != nil {
			return err
		}
		for name, value := range map[string]string{
			"GOPROXY": proxy.URL, "GONOSUMDB": "*", "GOMODCACHE": filepath.Join(e.WorkDir, "cache"),
		} {
			e.Setenv(name, value)
		}
		return nil
	}
	p.Cmds["readonly"] = readOnly
	p.Cmds["bound"] = func(ts *testscript.TestScript, neg bool, args []string) {
		exits(ts, neg, slices.Concat(args[:1], before, args[1:]))
	}
	testscript.Run(t, p)
}

// bound is what stands before a command that shall obey the modes of files.
// Root's commands do not, unless the right to pass over them is taken away.
func bound(t *testing.T) []string {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	list := []string{"setpriv", "--bounding-set=-dac_override"}
	if out, err := exec.Command(list[0], append(list[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("root writes into folders that are read-only, and setpriv (package util-linux) cannot keep it from that: %v %s", err, out)
	}
	return list
}

// published is a folder for goproxytest with the suite's library.
func published(t *testing.T) string {
	t.Helper()
	const mod = "module example.com/dev\n\ngo 1.25.0\n"
	ar := &txtar.Archive{Files: []txtar.File{
		{Name: ".mod", Data: []byte(mod)},
		{Name: ".info", Data: []byte(`{"Version":"v1.0.0"}` + "\n")},
		{Name: "go.mod", Data: []byte(mod)},
	}}
	data, err := os.ReadFile(filepath.Join("testdata", "suite", "dev", "dev.go"))
	if err != nil {
		t.Fatal(err)
	}
	ar.Files = append(ar.Files, txtar.File{Name: "dev.go", Data: data})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "example.com_dev_v1.0.0.txtar"), txtar.Format(ar), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// readOnly takes the right to write away from a folder and all in it.
func readOnly(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()&^0o222)
	}))
}
