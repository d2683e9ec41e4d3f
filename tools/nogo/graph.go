// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package nogo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// A Package is one that nogo would be run on.
type Package struct {
	ImportPath string
	Dir        string
	Imports    []string // of the files that the compiler sees, in order
	Sources    []string // absolute names; those that cgo wrote are in the build cache
	ImportMap  map[string]string
	Standard   bool
	DepOnly    bool   // the patterns do not name it
	Export     string // file with the types that it exports
}

// Load lists what the patterns match in dir with all dependencies, those
// first. It lets the go command compile them.
func Load(ctx context.Context, dir string, env []string, patterns ...string) ([]*Package, error) {
	args := append([]string{"list", "-deps", "-export", "-compiled", "-json=ImportPath,Dir,CompiledGoFiles,ImportMap,Standard,DepOnly,Export,Error", "--"}, patterns...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var list []*Package
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Package
			CompiledGoFiles []string
			Error           *struct{ Err string }
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list printed what is not its JSON: %w", err)
		}
		if p.Error != nil {
			return nil, fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		for _, name := range p.CompiledGoFiles {
			if !filepath.IsAbs(name) {
				name = filepath.Join(p.Dir, name)
			}
			if filepath.Ext(name) == ".s" {
				continue
			}
			p.Sources = append(p.Sources, name)
		}
		if !p.Standard {
			if p.Imports, err = imports(p.Sources); err != nil {
				return nil, err
			}
		}
		list = append(list, &p.Package)
	}
}

// imports reads what files import. What go list says leaves out the imports
// that cgo has added.
func imports(files []string) ([]string, error) {
	var list []string
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, spec := range f.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && path != "unsafe" {
				list = append(list, path)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}
