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
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/gpumemlint/gpumemlint"
	"github.com/gpumemlint/gpumemlint/internal/ownership"
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
	Tier   string   `json:"tier"`   // least certain tier: definite, likely (the default) or possible
	Rules  []string `json:"rules"`  // IDs of the rules to report; empty means those on by default
	Models string   `json:"models"` // text of a stub file: models of libraries that gpumemlint does not know
}

// New checks the settings and returns the plugin. An unknown key, tier or
// rule is an error, and so is a mistake in the models.
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
	if p.models, err = checkModels(s.Models); err != nil {
		return nil, fmt.Errorf("gpumemlint: models: %w", err)
	}
	return p, nil
}

// checkModels refuses models with a mistake in them here, since the analyzers
// could only tell of it once in every package.
func checkModels(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil // an empty setting is none
	}
	if !strings.Contains(strings.TrimSpace(text), "\n") {
		return "", fmt.Errorf("want the text of a stub file, as in \"models: |\" with the lines below it, not %q: golangci-lint reads no other file", text)
	}
	file, err := rules.Parse("models", []byte(text))
	if err != nil {
		return "", err
	}
	_, err = rules.Default().With(file)
	return text, err
}

type plugin struct {
	settings report.Settings
	models   string
}

// BuildAnalyzers puts the settings in force and returns the analyzers.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	report.Configure(p.settings)
	if err := ownership.Analyzer.Flags.Set("models", p.models); err != nil {
		return nil, fmt.Errorf("gpumemlint: models: %w", err)
	}
	return gpumemlint.Analyzers(), nil
}

// GetLoadMode says that the analyzers need types.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
