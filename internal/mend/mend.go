// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package mend applies suggested fixes to files, in memory until it is told to
// write.
//
// Fixes that would meet are not applied together; the code is analysed again
// with those that were, and the next ones are those that are offered then. For
// that, the go command is shown the changed texts as an overlay. Files are
// written only at the end, each in one step, so that an interrupt leaves every
// file as it was or as it should be.
package mend

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// A Fix is a change of files. Edits name them by absolute paths.
type Fix struct {
	Message string
	Edits   []Edit
}

// An Edit replaces the bytes from Start up to End of a file.
type Edit struct {
	Path       string
	Start, End int
	New        string
}

// Files are texts that are being changed. They are not safe for concurrent use.
type Files struct {
	dir     string            // for overlays
	before  map[string][]byte // as on disk
	after   map[string][]byte
	done    map[string][]string // what was done to a file
	last    map[string][]byte   // what the last Apply has changed, as it was before
	written map[string]string   // temporary file: the file that it stands for
}

// New returns an empty set of changes. Close it to remove what it has stored
// for the go command.
func New() (*Files, error) {
	dir, err := os.MkdirTemp("", "gpumemlint-fix-")
	if err != nil {
		return nil, fmt.Errorf("cannot store changed files: %w", err)
	}
	return &Files{
		dir: dir, before: map[string][]byte{}, after: map[string][]byte{},
		done: map[string][]string{}, written: map[string]string{},
	}, nil
}

// Close removes temporary files.
func (f *Files) Close() error { return os.RemoveAll(f.dir) }

// Apply applies the fixes that do not meet one another, in the given order of
// preference, and returns how many there were. A fix that is there twice counts
// once. It leaves out those of files that allowed refuses.
func (f *Files) Apply(fixes []Fix, allowed func(path string) bool) (int, error) {
	var chosen []Edit
	f.last = map[string][]byte{}
	n := 0
	for _, fix := range fixes {
		if !slices.ContainsFunc(fix.Edits, func(e Edit) bool { return !slices.Contains(chosen, e) }) {
			continue // done already: it mends several findings
		}
		if slices.ContainsFunc(fix.Edits, func(e Edit) bool { return !allowed(e.Path) || meets(e, chosen) }) {
			continue // later, or never
		}
		for _, e := range fix.Edits {
			if !slices.Contains(chosen, e) {
				chosen = append(chosen, e)
			}
			if list := f.done[e.Path]; len(list) == 0 || list[len(list)-1] != fix.Message {
				f.done[e.Path] = append(list, fix.Message)
			}
		}
		n++
	}
	slices.SortStableFunc(chosen, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	for i := 0; i < len(chosen); {
		j := i
		for j < len(chosen) && chosen[j].Path == chosen[i].Path {
			j++
		}
		if err := f.change(chosen[i].Path, chosen[i:j]); err != nil {
			return 0, err
		}
		i = j
	}
	return n, nil
}

// meets reports whether an edit touches one of a list without being the same.
func meets(e Edit, list []Edit) bool {
	return slices.ContainsFunc(list, func(o Edit) bool {
		return e != o && e.Path == o.Path && e.Start <= o.End && o.Start <= e.End
	})
}

func (f *Files) change(path string, edits []Edit) error {
	text, err := f.text(path)
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			return fmt.Errorf("%s: a fix does not fit the file; has it changed since it was analysed?", path)
		}
		buf.Write(text[at:e.Start])
		buf.WriteString(e.New)
		at = e.End
	}
	buf.Write(text[at:])
	f.last[path] = text
	f.after[path] = buf.Bytes()
	return nil
}

// text is a file as it is now, with the changes so far.
func (f *Files) text(path string) ([]byte, error) {
	if text, ok := f.after[path]; ok {
		return text, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s to fix it: %w", path, err)
	}
	f.before[path], f.after[path] = text, text
	return text, nil
}

// Undo takes back what the last Apply has done to files for which pick says so.
func (f *Files) Undo(pick func(path string) bool) {
	for path, text := range f.last {
		if pick(path) {
			f.after[path] = text
			if list := f.done[path]; len(list) > 0 {
				f.done[path] = list[:len(list)-1]
			}
		}
	}
}

// Overlay stores the changed texts and returns two files: one for the go
// command's flag -overlay, and one for the tool's flag -texts, which needs to
// find what cgo has been given. Both are "" if nothing has changed.
func (f *Files) Overlay() (overlay, texts string, err error) {
	replace := map[string]string{}
	for _, path := range f.Changed() {
		sum := sha256.Sum256(append([]byte(path+"\x00"), f.after[path]...))
		dir := filepath.Join(f.dir, hex.EncodeToString(sum[:8]))
		file := filepath.Join(dir, filepath.Base(path))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", "", fmt.Errorf("cannot store changed files: %w", err)
		}
		if err := os.WriteFile(file, f.after[path], 0o644); err != nil {
			return "", "", fmt.Errorf("cannot store changed files: %w", err)
		}
		replace[path] = file
		f.written[file] = path
	}
	if len(replace) == 0 {
		return "", "", nil
	}
	if overlay, err = f.store("overlay", map[string]any{"Replace": replace}); err != nil {
		return "", "", err
	}
	texts, err = f.store("texts", replace)
	return overlay, texts, err
}

// store writes v as JSON into a file that is named after its content: what
// depends on the content must not be answered from a cache after it changes.
func (f *Files) store(name string, v any) (string, error) {
	data, err := json.Marshal(v) // sorted by key
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	file := filepath.Join(f.dir, name+"-"+hex.EncodeToString(sum[:8])+".json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return "", fmt.Errorf("cannot store changed files: %w", err)
	}
	return file, nil
}

// Original puts the names of the user's files in place of those of stored texts.
func (f *Files) Original(s string) string {
	if !strings.Contains(s, f.dir) {
		return s
	}
	for _, file := range slices.Sorted(maps.Keys(f.written)) {
		s = strings.ReplaceAll(s, file, f.written[file])
	}
	return s
}

// Changed lists the files whose text is another than on disk.
func (f *Files) Changed() []string {
	var list []string
	for _, path := range slices.Sorted(maps.Keys(f.after)) {
		if !bytes.Equal(f.after[path], f.before[path]) {
			list = append(list, path)
		}
	}
	return list
}

// Done says what was done to a file, in order.
func (f *Files) Done(path string) []string { return slices.Clone(f.done[path]) }

// Diff returns the changes as one unified diff, in the order of names. Name
// shortens a path.
func (f *Files) Diff(name func(path string) string) []byte {
	var buf bytes.Buffer
	for _, path := range f.Changed() {
		n := name(path)
		buf.Write(diff.Diff("a/"+n, f.before[path], "b/"+n, f.after[path]))
	}
	return buf.Bytes()
}

// Write writes the changed files. Each gets its new text in one step or stays
// as it is. It goes on after an error and returns all of them; the files that
// were written are returned, too.
func (f *Files) Write() (paths []string, err error) {
	var errs []error
	for _, path := range f.Changed() {
		if err := f.write(path); err != nil {
			errs = append(errs, fmt.Errorf("cannot fix %s: %w", path, err))
			continue
		}
		paths = append(paths, path)
	}
	return paths, errors.Join(errs...)
}

func (f *Files) write(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	st, err := os.Stat(real)
	if err != nil {
		return err
	}
	if now, err := os.ReadFile(real); err != nil {
		return err
	} else if !bytes.Equal(now, f.before[path]) {
		return errors.New("it has changed since it was analysed; run again")
	}
	tmp, err := os.CreateTemp(filepath.Dir(real), ".gpumemlint-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already where all went well
	_, err = tmp.Write(f.after[path])
	err = errors.Join(err, tmp.Chmod(st.Mode().Perm()), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), real)
}
