// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gclplugin

import (
	"reflect"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

func build(t *testing.T, conf any) []*analysis.Analyzer {
	t.Helper()
	t.Cleanup(func() { report.Configure(report.Defaults()) })
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

func TestBadSettings(t *testing.T) {
	for want, conf := range map[string]any{
		`unknown field "teir"`:    map[string]any{"teir": "likely"},
		`unknown tier "sure"`:     map[string]any{"tier": "sure"},
		`nothing reports "GM999"`: map[string]any{"rules": []string{"GM999"}},
	} {
		if _, err := New(conf); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%v): error %v, want one with %q", conf, err, want)
		}
	}
}
