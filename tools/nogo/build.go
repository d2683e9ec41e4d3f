// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package nogo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gpumemlint/gpumemlint/tools/modcache"
)

// rulesGo is the release of rules_go that is used.
var rulesGo = modcache.Module{
	Path: "github.com/bazelbuild/rules_go", Version: "v0.65.0", Sum: "h1:oHAvkNIMaOhguFSCHi0bCoUhz2390srk4U0rTn9mqBc=",
}

// udiff is what nogo writes its patches with, at the version that this release
// asks for.
const udiff = "github.com/aymanbagabas/go-udiff v0.4.1"

// Build makes the nogo binary for analyzers, which are named by the import
// paths of their packages, in the folder dir. root is the checkout of
// gpumemlint, config the text of the configuration or nil. It needs the go
// command and the module proxy.
func Build(ctx context.Context, dir, root string, analyzers []string, config []byte) (string, error) {
	src, err := rulesGo.Fetch(ctx)
	if err != nil {
		return "", err
	}
	builder := filepath.Join(dir, "builder")
	sources := filepath.Join(src, "go", "tools", "builders")
	if err := buildBuilder(ctx, dir, sources, builder); err != nil {
		return "", err
	}
	tools, err := mirrorTools(ctx, dir, root)
	if err != nil {
		return "", err
	}
	main := filepath.Join(tools, "nogo")
	if err := os.MkdirAll(main, 0o777); err != nil {
		return "", err
	}
	if err := copySources(sources, main, "nogo_srcs"); err != nil {
		return "", err
	}
	args := []string{"gennogomain", "-output", filepath.Join(main, "generated_main.go")}
	for _, path := range analyzers {
		args = append(args, "-analyzer_importpath", path)
	}
	if config != nil {
		file := filepath.Join(dir, "nogo.json")
		if err := os.WriteFile(file, config, 0o666); err != nil {
			return "", err
		}
		args = append(args, "-config", file)
	}
	if err := run(ctx, dir, nil, builder, args...); err != nil {
		return "", err
	}
	mod := fmt.Sprintf("module nogo.test\n\ngo 1.25.0\n\nrequire (\n\tgithub.com/gpumemlint/gpumemlint v0.0.0\n\tgolang.org/x/tools v0.49.0\n\t%s\n)\n\n"+
		"replace github.com/gpumemlint/gpumemlint => %s\n\nreplace golang.org/x/tools => %s\n", udiff, root, tools)
	work := filepath.Join(dir, "build")
	if err := writeModule(work, mod); err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "nogo")
	// Without cgo the program is one file, which runs in an otherwise empty root.
	return bin, run(ctx, work, []string{"CGO_ENABLED=0"}, "go", "build", "-mod=mod", "-o", bin, "golang.org/x/tools/nogo")
}

// buildBuilder builds rules_go's own helper, which writes nogo's main file. It
// needs the standard library only.
func buildBuilder(ctx context.Context, dir, sources, bin string) error {
	work := filepath.Join(dir, "builder-build")
	if err := writeModule(work, "module builder.test\n\ngo 1.26.0\n"); err != nil {
		return err
	}
	if err := copySources(sources, work, "builder_srcs", "path.go", "path_windows.go"); err != nil {
		return err
	}
	// It wants to be told where rules_go keeps the standard library.
	return run(ctx, work, nil, "go", "build", "-ldflags=-X main.rulesGoStdlibPrefix=@//stdlib:", "-o", bin, ".")
}

// mirrorTools makes a folder of links to golang.org/x/tools, in which nogo's
// main package can stand: it imports an internal package of that module, which
// Bazel permits and the go command does not.
func mirrorTools(ctx context.Context, dir, root string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/tools")
	cmd.Dir, cmd.Env = root, environ()
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("find golang.org/x/tools: %w", err)
	}
	from, to := strings.TrimSpace(string(out)), filepath.Join(dir, "tools")
	if err := os.MkdirAll(to, 0o777); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil && !os.IsExist(err) {
			return "", err
		}
	}
	return to, nil
}

var quoted = regexp.MustCompile(`"([^"]+\.go)"`)

// copySources copies the files that rules_go's build file lists for a rule,
// and some more that it chooses by condition.
func copySources(from, to, rule string, more ...string) error {
	build, err := os.ReadFile(filepath.Join(from, "BUILD.bazel"))
	if err != nil {
		return err
	}
	list := regexp.MustCompile(`(?s)name = "` + rule + `",\s*srcs = \[(.*?)\]`).FindSubmatch(build)
	if list == nil {
		return fmt.Errorf("%s/BUILD.bazel: no rule %s", from, rule)
	}
	for _, m := range quoted.FindAllSubmatch(list[1], -1) {
		more = append(more, string(m[1]))
	}
	for _, name := range more {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func writeModule(dir, mod string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666)
}

// environ is the environment of the go command: neither a workspace nor flags
// of the user's belong into these builds.
func environ(more ...string) []string {
	return append(append(os.Environ(), "GOWORK=off", "GOFLAGS="), more...)
}

func run(ctx context.Context, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, environ(env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return nil
}
