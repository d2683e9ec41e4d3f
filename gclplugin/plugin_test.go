// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gclplugin

import (
	"reflect"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/gpumemlint/gpumemlint/internal/ownership"
	"github.com/gpumemlint/gpumemlint/internal/report"
)

func build(t *testing.T, conf any) []*analysis.Analyzer {
	t.Helper()
	t.Cleanup(func() {
		report.Configure(report.Defaults())
		if err := ownership.Analyzer.Flags.Set("models", ""); err != nil {
			t.Error(err)
		}
	})
	newPlugin, err := register.GetPlugin("gpumemlint")
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlugin(conf)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.GetLoadMode(); got != register.LoadModeTypesInfo {
		t.Errorf("load mode %q: the analyzers would get no types", got)
	}
	list, err := p.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPlugin(t *testing.T) {
	list := build(t, nil)
	if err := analysis.Validate(list); err != nil || len(list) == 0 {
		t.Errorf("%d analyzers, error %v", len(list), err)
	}
	if got, want := report.Current(), (report.Settings{Tier: report.Likely}); !reflect.DeepEqual(got, want) {
		t.Errorf("settings %+v, want %+v", got, want)
	}
}

func TestSettings(t *testing.T) {
	build(t, map[string]any{"tier": "possible", "rules": []string{"gm101"}})
	if got, want := report.Current(), (report.Settings{Tier: report.Possible, Rules: []string{"GM101"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("settings %+v, want %+v", got, want)
	}
}

// pool are models as they stand in a settings block.
const pool = `//gpumem:package example.com/pool
//gpumem:source https://example.com/pool
package pool

//gpumem:class pool.block noun="block" verb=put

//gpumem:resource pool.block release=Put
type Block struct{}

//gpumem:acquire pool.block result0
func Get() *Block

//gpumem:release pool.block recv
func (b *Block) Put()
`

// TestModels lints a package against models in the settings: the same code
// says nothing without them.
func TestModels(t *testing.T) {
	const lib = "package pool\n\ntype Block struct{ n int }\n\nfunc Get() *Block { return &Block{} }\n\nfunc (b *Block) Put() {}\n"
	const user = "package user\n\nimport \"example.com/pool\"\n\nfunc lose() int {\n\tb := pool.Get()%s\n\tb.Put\n\treturn 0\n}\n"
	leaks := strings.NewReplacer("%s", " // want `block from pool.Get is never .*GM102`", "b.Put", "_ = b").Replace(user)
	clean := strings.NewReplacer("%s", "", "b.Put", "_ = b").Replace(user)
	for _, tt := range []struct{ name, models, source string }{
		{"with models", pool, leaks},
		{"without", "", clean},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := build(t, map[string]any{"models": tt.models})
			dir, cleanup, err := analysistest.WriteFiles(map[string]string{"example.com/pool/pool.go": lib, "user/user.go": tt.source})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(cleanup)
			for _, a := range list {
				if a.Name == "leak" {
					analysistest.Run(t, dir, a, "user")
				}
			}
		})
	}
}

func TestBadSettings(t *testing.T) {
	for want, conf := range map[string]any{
		`unknown field "teir"`:                            map[string]any{"teir": "likely"},
		`unknown tier "sure"`:                             map[string]any{"tier": "sure"},
		`nothing reports "GM999"`:                         map[string]any{"rules": []string{"GM999"}},
		`want the text of a stub file, as in "models: |"`: map[string]any{"models": "my.gpumem"},
		`models:4:1: got `:                                map[string]any{"models": "//gpumem:package example.com/m\n//gpumem:source https://example.com/m\npackage m\n//gpumem:aquire x result0\nfunc Get() *int\n"},
	} {
		if _, err := New(conf); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%v): error %v, want one with %q", conf, err, want)
		}
	}
}
