// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gclplugin is gpumemlint as a module plugin of golangci-lint. Import
// it for its side effect in a custom build, which golangci-lint custom makes
// from a .custom-gcl.yml; docs/drivers.md has both files.
//
// Suppression is left to golangci-lint. If the analyzers honoured //nolint as
// well, its nolintlint would call each directive unused.
package gclplugin

import (
	"fmt"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint"
	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// This is the only init of the repository: the interface of module plugins
// asks for it.
func init() {
	register.Plugin(report.LinterName, New)
}

// Settings are what stands under linters.settings.custom.gpumemlint.settings.
type Settings struct {
	Tier  string   `json:"tier"`  // least certain tier: definite, likely (the default) or possible
	Rules []string `json:"rules"` // IDs of the rules to report; empty means those on by default
}

// New checks the settings and returns the plugin. An unknown key, tier or
// rule is an error.
func New(conf any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](conf)
	if err != nil {
		return nil, fmt.Errorf("gpumemlint: %w", err)
	}
	p := &plugin{settings: report.Defaults()}
	p.settings.Nolint = false
	if s.Tier != "" {
		if p.settings.Tier, err = report.ParseTier(s.Tier); err != nil {
			return nil, fmt.Errorf("gpumemlint: tier: %w", err)
		}
	}
	for _, id := range s.Rules {
		rule, ok := rules.RuleByID(id)
		if !ok || rule.Planned {
			return nil, fmt.Errorf("gpumemlint: rules: nothing reports %q; see docs/rules for what there is", id)
		}
		p.settings.Rules = append(p.settings.Rules, rule.ID)
	}
	return p, nil
}

type plugin struct{ settings report.Settings }

// BuildAnalyzers puts the settings in force and returns the analyzers.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	report.Configure(p.settings)
	return gpumemlint.Analyzers(), nil
}

// GetLoadMode says that the analyzers need types.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
