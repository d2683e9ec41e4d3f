// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package govet

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Diagnostic is one entry of go vet's JSON.
type Diagnostic struct {
	Package  string // import path; that of the package for its in-package tests
	Analyzer string
	Category string
	Message  string
	Pos, End Position
	Related  []string // messages of the related positions
	Fixes    []Fix
}

// A Position is a place in a file. Columns count bytes, from 1.
type Position struct {
	File   string
	Line   int
	Column int
}

// A Fix is a change that mends what the diagnostic says.
type Fix struct {
	Message string
	Edits   []Edit
}

// An Edit replaces the bytes from Start up to End of a file.
type Edit struct {
	File       string
	Start, End int
	New        string
}

type jsonDiagnostic struct {
	Category string `json:"category"`
	Posn     string `json:"posn"`
	End      string `json:"end"`
	Message  string `json:"message"`
	Fixes    []struct {
		Message string `json:"message"`
		Edits   []struct {
			Filename string `json:"filename"`
			Start    int    `json:"start"`
			End      int    `json:"end"`
			New      string `json:"new"`
		} `json:"edits"`
	} `json:"suggested_fixes"`
	Related []struct {
		Message string `json:"message"`
	} `json:"related"`
}

// decode reads documents, one an analysed package, until r ends. Each maps
// package to analyzer to a list of diagnostics or an error. It returns how
// many there were, and what it has understood even if there is an error.
func decode(r io.Reader, onDocument func()) (*Result, int, error) {
	res := &Result{}
	dec := json.NewDecoder(r)
	for n := 0; ; n++ {
		var doc map[string]map[string]json.RawMessage
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			return res, n, nil
		} else if err != nil {
			return res, n, err
		}
		if onDocument != nil {
			onDocument()
		}
		for _, pkg := range slices.Sorted(maps.Keys(doc)) {
			for _, analyzer := range slices.Sorted(maps.Keys(doc[pkg])) {
				if err := res.add(basePath(pkg), analyzer, doc[pkg][analyzer]); err != nil {
					return res, n, err
				}
			}
		}
	}
}

// basePath turns "p [p.test]" into "p".
func basePath(id string) string {
	path, _, _ := strings.Cut(id, " ")
	return path
}

func (res *Result) add(pkg, analyzer string, raw json.RawMessage) error {
	if len(raw) > 0 && raw[0] == '{' {
		var failed struct {
			Error string `json:"error"`
		}
		if err := json.Unmarshal(raw, &failed); err != nil {
			return err
		}
		if strings.HasPrefix(failed.Error, "failed prerequisites: ") {
			return nil // the prerequisite says why
		}
		res.Failures = append(res.Failures, Failure{Kind: NotAnalysed, Package: pkg, Message: firstLine(failed.Error)})
		return nil
	}
	var list []jsonDiagnostic
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, jd := range list {
		d := Diagnostic{
			Package: pkg, Analyzer: analyzer, Category: jd.Category, Message: jd.Message,
			Pos: parsePosition(jd.Posn), End: parsePosition(jd.End),
		}
		for _, rel := range jd.Related {
			d.Related = append(d.Related, rel.Message)
		}
		for _, jf := range jd.Fixes {
			fix := Fix{Message: jf.Message}
			for _, e := range jf.Edits {
				fix.Edits = append(fix.Edits, Edit{File: e.Filename, Start: e.Start, End: e.End, New: e.New})
			}
			d.Fixes = append(d.Fixes, fix)
		}
		res.Diagnostics = append(res.Diagnostics, d)
	}
	return nil
}

// parsePosition reads file:line:column, file:line or file; the file's name
// may contain colons.
func parsePosition(s string) Position {
	rest, last, ok := cutNumber(s)
	if !ok {
		return Position{File: s}
	}
	file, line, ok := cutNumber(rest)
	if !ok {
		return Position{File: rest, Line: last}
	}
	return Position{File: file, Line: line, Column: last}
}

func cutNumber(s string) (rest string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	if err != nil || n < 0 {
		return s, 0, false
	}
	return s[:i], n, true
}
