// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package instrument

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gpumemlint/gpumemlint/rules"
	ledger "github.com/gpumemlint/gpumemlint/runtime/track"
)

// A Workspace is the temporary folder with the rewritten sources. Its methods
// may be used from several goroutines; nothing is written after Build.
type Workspace struct {
	Packages []Package         // what the patterns match, sorted by path
	Notes    []Note            // what was left out
	Skipped  map[string]string // injection ID → why it has no point, in one line
	Models   *rules.Set        // the plan's models and the directives in the sources

	dir       string
	plan      Plan
	env       []string
	args      []string
	gowork    string
	overlay   map[string]string // file as the go command sees it → file in the folder
	originals map[string]string // the overlay, the other way round
	copies    []copied          // modules that were copied out of the module cache

	closing sync.Once
}

// A copied module is one whose files the go command lets nobody overlay.
type copied struct{ from, to string }

// Args returns the flags that belong right behind `go test`, the plan's build
// flags among them. Vet is switched off, since it has no word to say about
// rewritten sources, and coverage, since its tool would read the user's. The go command does not
// know that the environment matters: -count=1 keeps it from answering from its cache.
func (w *Workspace) Args() []string { return slices.Clone(w.args) }

// Dir returns the directory that the go command must be run in.
func (w *Workspace) Dir() string { return w.plan.Dir }

// Env returns the environment of a run that writes its ledgers into a folder
// (which must exist) and in which one injection fails: an ID, ID@3 for
// the third call that a test makes there, or empty for none.
func (w *Workspace) Env(ledgers, inject string) []string {
	env := slices.Clone(w.env)
	set := func(name, value string) {
		env = slices.DeleteFunc(env, func(s string) bool { return strings.HasPrefix(s, name+"=") })
		env = append(env, name+"="+value)
	}
	set(ledger.EnvDir, ledgers)
	set(ledger.EnvInject, inject)
	if w.gowork != "" {
		set("GOWORK", w.gowork)
	}
	// cgo checks pointers by how an argument is written; rewritten calls are
	// written in another way. The user's own runs check them.
	debug := "cgocheck=0"
	for _, s := range w.env {
		if old, ok := strings.CutPrefix(s, "GODEBUG="); ok && old != "" {
			debug = old + "," + debug
		}
	}
	set("GODEBUG", debug)
	return env
}

// Original returns the user's name of a file in the temporary folder; other
// names are returned as they are.
func (w *Workspace) Original(path string) string {
	for _, c := range w.copies {
		if rest, ok := strings.CutPrefix(path, c.to+string(filepath.Separator)); ok {
			return filepath.Join(c.from, rest)
		}
	}
	if from, ok := w.originals[path]; ok {
		return from
	}
	return path
}

// Close removes the folder. Further calls do nothing.
func (w *Workspace) Close() error {
	var err error
	w.closing.Do(func() {
		// A library's files may have come without the right to remove them.
		filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				os.Chmod(path, 0o700)
			}
			return nil
		})
		if e := os.RemoveAll(w.dir); e != nil {
			err = fmt.Errorf("remove the temporary folder: %w", e)
		}
	})
	return err
}
