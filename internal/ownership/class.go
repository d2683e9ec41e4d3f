// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"github.com/gpumemlint/gpumemlint/internal/report"
	"github.com/gpumemlint/gpumemlint/rules"
)

// Class is what the engine and its users know about a kind of resource. It
// travels in facts, so it holds plain values only.
type Class struct {
	Name     string   // rules class, "c:TYPE" for inferred C resources, or "owner:pkg.Type"
	Noun     string   // "tensor"
	Verb     string   // "destroyed"
	Releases []string // methods that release it
	Owner    bool     // a Go object that holds resources
	Inferred bool     // nobody wrote a model for it
	Process  bool     // process-wide pair without a handle
	Backstop rules.Backstop
}

// ceiling is the highest tier that a leak of the class can have.
func (c Class) ceiling() report.Tier {
	switch {
	case c.Backstop == rules.BackstopGC || c.Backstop == rules.BackstopGCOnly:
		return report.Possible // freed late, but freed
	case c.Backstop == rules.BackstopLate || c.Inferred:
		return report.Likely
	}
	return report.Definite
}

func classOf(c *rules.Class, releases []string) Class {
	return Class{
		Name: c.Name, Noun: orElse(c.Noun, c.Name), Verb: orElse(c.Verb, "released"),
		Releases: releases, Process: c.Process, Backstop: c.Backstop,
	}
}

func orElse(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// releaseNames are method names that end a handle's life in every binding we
// know. They matter only where a callee cannot be seen.
var releaseNames = map[string]bool{
	"Close": true, "Free": true, "Release": true, "Destroy": true, "Dispose": true,
	"Unload": true, "Shutdown": true, "Delete": true, "Drop": true, "MustDrop": true,
	"Finalize": true, "FinalizeAll": true, "MustFinalizeAll": true, "Unref": true, "Recycle": true, "Stop": true,
}
