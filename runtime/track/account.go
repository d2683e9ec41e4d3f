// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// account is the record of a top-level test that has ended.
func (l *ledger) account(x *test, t TB) Record {
	rec := Record{Kind: KindTest, Test: x.name, Run: x.run, Failed: t.Failed(), Skipped: t.Skipped(), From: x.from, To: l.events}
	for s, c := range x.counts {
		rec.Sites = append(rec.Sites, Site{
			Site: s.number, Class: l.className(s.class), Call: s.fn.Name, Stack: l.frames(s.stack, s.fn),
			Acquired: c.acquired, Released: c.released, Moved: c.moved + c.forgotten, Collected: c.collected, Live: c.live,
		})
	}
	for s, c := range x.counts {
		rec.History = append(rec.History, Series{Site: s.number, Points: c.history.thin(nil, maxSamples)})
	}
	slices.SortFunc(rec.History, func(a, b Series) int { return cmp.Compare(a.Site, b.Site) })
	slices.SortFunc(rec.Sites, func(a, b Site) int { return cmp.Compare(a.Site, b.Site) })
	for _, inst := range l.known {
		for ; inst != nil; inst = inst.next {
			if inst.state != live || inst.inner || inst.test == nil || inst.test.top != x {
				continue
			}
			inst.told = true
			class := l.class(inst.site.class)
			rec.Live = append(rec.Live, Live{
				ID: inst.id, Site: inst.site.number, Class: class.Name, Test: inst.test.name,
				Once: once(l.frames(inst.site.stack, nil)), Process: class.Process, Backstop: class.Backstop, Escaped: inst.unsure, Inferred: class.Inferred,
			})
		}
	}
	slices.SortFunc(rec.Live, func(a, b Live) int { return cmp.Compare(a.ID, b.ID) })
	for n, hits := range x.points {
		rec.Points = append(rec.Points, Point{ID: l.table.Points[n], Hits: hits})
	}
	slices.SortFunc(rec.Points, func(a, b Point) int { return cmp.Compare(a.ID, b.ID) })
	rec.Loops = l.loopsOf(x)
	return rec
}

// A writer appends records to the ledger file of this process, each with one
// write, so that a crash loses none that came before it.
type writer struct {
	dir    string
	file   *os.File
	failed bool
}

func (w *writer) write(rec Record) {
	if w.dir == "" || w.failed {
		return // nobody reads it
	}
	if w.file == nil {
		if !w.start() {
			return
		}
	}
	w.line(rec)
}

// start makes the file. The name holds the process's number; a number may come
// back, so an older file of that name is not written to.
func (w *writer) start() bool {
	for n := 0; n < 1000; n++ {
		name := filepath.Join(w.dir, fmt.Sprintf("%d-%d%s", os.Getpid(), n, Suffix))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			break
		}
		w.file = f
		dir, _ := os.Getwd() // empty is as good as unknown
		w.line(Record{Kind: KindStart, Format: Format, PID: os.Getpid(), Program: filepath.Base(os.Args[0]), Dir: dir})
		return true
	}
	// The tests must go on; that there is no ledger is noticed by its reader.
	w.failed = true
	fmt.Fprintf(os.Stderr, "gpumemlint: cannot write the ledger into %s\n", w.dir)
	return false
}

func (w *writer) line(rec Record) {
	data, err := json.Marshal(rec)
	if err != nil {
		return // strings and numbers only: cannot happen
	}
	if _, err := w.file.Write(append(data, '\n')); err != nil {
		w.failed = true
	}
}
