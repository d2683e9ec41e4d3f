// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/rules"
)

// unit is the part of the go command's description of one package that tells
// whether the package needs a look at all.
type unit struct {
	Dir         string
	ModulePath  string
	GoFiles     []string
	ImportMap   map[string]string // import path in the source: package path
	PackageVetx map[string]string // package path: file with the facts about it
	Standard    map[string]bool   // package path: is in the standard library
	VetxOnly    bool
	VetxOutput  string
	Stdout      string
}

// skipped deals with a package that is only there to be imported and touches
// no GPU library: there is nothing to say about it to its importers, so it is
// neither type-checked nor analysed. It reports whether the work is done.
//
// In a module without GPU code this is nearly every call, the standard
// library being most of it, and it makes them cost no more than the start of
// a process. On any doubt it leaves the package to the full analysis.
func skipped(cfgFile string, args []string) bool {
	data, err := os.ReadFile(cfgFile)
	if err != nil {
		return false // unitchecker says it better
	}
	var u unit
	if err := json.Unmarshal(data, &u); err != nil || !u.VetxOnly || u.VetxOutput == "" {
		return false // a package to report on
	}
	if !u.standard() && (hasModels(args) || !u.irrelevant()) {
		return false
	}
	if u.Stdout != "" {
		if os.WriteFile(u.Stdout, nil, 0o666) != nil {
			return false
		}
	}
	return os.WriteFile(u.VetxOutput, nil, 0o666) == nil // the empty file holds no facts
}

// onlyImported reports whether a package is analysed for its importers alone.
func onlyImported(cfgFile string) bool {
	var u unit
	data, err := os.ReadFile(cfgFile)
	return err == nil && json.Unmarshal(data, &u) == nil && u.VetxOnly
}

// standard reports whether the package belongs to the standard library, which
// holds no GPU memory, though it calls C here and there.
func (u *unit) standard() bool {
	src := filepath.Join(os.Getenv("GOROOT"), "src") + string(filepath.Separator) // set by the go command
	return u.ModulePath == "" && filepath.IsAbs(src) && strings.HasPrefix(u.Dir, src)
}

// hasModels reports whether the user gave models, which may be of any package.
func hasModels(args []string) bool {
	for _, a := range args {
		if strings.HasPrefix(strings.TrimLeft(a, "-"), "models=") {
			return true
		}
	}
	return false
}

// irrelevant reports whether the package imports nothing that can hand it
// GPU memory, calls no C, has no directive of ours and declares no container
// for anything.
func (u *unit) irrelevant() bool {
	for _, file := range u.PackageVetx {
		data, err := os.ReadFile(file)
		if err != nil || ownership.Summarised(data) {
			return false // an import has facts
		}
	}
	fset := token.NewFileSet()
	for _, name := range u.GoFiles {
		if filepath.Base(name) == "_cgo_gotypes.go" {
			return false // cgo
		}
		src, err := os.ReadFile(name)
		if err != nil || bytes.Contains(src, []byte("//gpumem:")) {
			return false // a model of its own
		}
		if ownership.MayKeep(src) {
			return false // a container, perhaps
		}
		f, err := parser.ParseFile(fset, name, src, parser.ImportsOnly)
		if err != nil {
			return false
		}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return false
			}
			if full, ok := u.ImportMap[path]; ok {
				path = full
			}
			if !u.Standard[path] && rules.Default().Package(path) {
				return false
			}
		}
	}
	return true
}
