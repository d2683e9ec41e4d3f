// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package rmm reads and writes the allocation log of RAPIDS RMM: one CSV row a
// call, with the header Thread,Time,Action,Pointer,Size,Stream.
//
// Such a log is the simplest recording of what a program asked of an
// allocator, so it is what `gpumem replay` takes from other projects and what
// `gpumem convert` gives them. [Entries] and [FromEntries] translate between
// the log and an allocator's history.
package rmm

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Action is what a row records.
type Action string

// The actions of a log. Some writers say deallocate for free; it reads as Free.
const (
	Allocate Action = "allocate"
	Failure  Action = "allocate failure"
	Free     Action = "free"
)

// Record is one row.
type Record struct {
	Thread  uint64
	Time    time.Duration // since midnight, or since the Unix epoch: logs do either
	Action  Action
	Pointer uint64 // 0 for a failure
	Size    int64  // bytes
	Stream  uint64 // 0 is the default stream
}

// columns is the header, in the order in which we write it.
var columns = []string{"Thread", "Time", "Action", "Pointer", "Size", "Stream"}

// Read decodes a log. Columns are found by the names in the header, so a log
// with more of them reads too. An error names the line.
func Read(r io.Reader) ([]Record, error) {
	cr := csv.NewReader(bufio.NewReader(r))
	cr.ReuseRecord = true
	cr.FieldsPerRecord = -1 // reported with our words below
	header, err := cr.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("RMM log: the file is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("RMM log: %w", err)
	}
	at := make([]int, len(columns))
	for i, name := range columns {
		at[i] = slices.Index(header, name)
		if at[i] < 0 {
			return nil, fmt.Errorf("RMM log: the header has no column %q; the first line must be %s", name, strings.Join(columns, ","))
		}
	}
	var out []Record
	for {
		row, err := cr.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("RMM log: %w", err)
		}
		line, _ := cr.FieldPos(0)
		rec, err := parse(row, at)
		if err != nil {
			return nil, fmt.Errorf("RMM log: line %d: %w", line, err)
		}
		out = append(out, rec)
	}
}

func parse(row []string, at []int) (rec Record, err error) {
	field := func(i int) string { return strings.TrimSpace(row[at[i]]) }
	if most := slices.Max(at); most >= len(row) {
		return rec, fmt.Errorf("%d fields where %d belong; is the log cut off?", len(row), most+1)
	}
	if rec.Thread, err = strconv.ParseUint(field(0), 0, 64); err != nil {
		return rec, fmt.Errorf("thread %q is no number", field(0))
	}
	if rec.Time, err = parseTime(field(1)); err != nil {
		return rec, err
	}
	switch a := field(2); a {
	case "allocate", "free", "allocate failure":
		rec.Action = Action(a)
	case "deallocate":
		rec.Action = Free
	default:
		return rec, fmt.Errorf("action %q is not allocate, free or allocate failure", a)
	}
	if rec.Pointer, err = parsePointer(field(3)); err != nil {
		return rec, fmt.Errorf("pointer %q is no address", field(3))
	}
	if rec.Size, err = strconv.ParseInt(field(4), 10, 64); err != nil || rec.Size < 0 {
		return rec, fmt.Errorf("size %q is no number of bytes", field(4))
	}
	if rec.Stream, err = parsePointer(field(5)); err != nil {
		return rec, fmt.Errorf("stream %q is no address", field(5))
	}
	return rec, nil
}

// parsePointer reads what C's %p prints: 0x… or (nil).
func parsePointer(s string) (uint64, error) {
	if s == "(nil)" {
		return 0, nil
	}
	return strconv.ParseUint(s, 0, 64)
}

// parseTime reads a time of day, with a dot or a colon before the
// microseconds, or seconds since the epoch.
func parseTime(s string) (time.Duration, error) {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == ':' || r == '.' })
	if strings.Count(s, ":") < 2 {
		sec, err := strconv.ParseFloat(s, 64)
		if err != nil || !(sec >= 0 && sec < math.MaxInt64/1e9) {
			return 0, fmt.Errorf("time %q is neither hours:minutes:seconds nor seconds", s)
		}
		return time.Duration(sec * 1e9).Round(time.Microsecond), nil
	}
	var n [4]int64
	if len(parts) < 3 || len(parts) > 4 {
		return 0, fmt.Errorf("time %q is neither hours:minutes:seconds nor seconds", s)
	}
	for i, p := range parts {
		if i == 3 {
			p = (p + "000000")[:6] // fractions of a second, to microseconds
		}
		v, err := strconv.ParseUint(p, 10, 24)
		if err != nil {
			return 0, fmt.Errorf("time %q is neither hours:minutes:seconds nor seconds", s)
		}
		n[i] = int64(v)
	}
	return time.Duration(n[0])*time.Hour + time.Duration(n[1])*time.Minute +
		time.Duration(n[2])*time.Second + time.Duration(n[3])*time.Microsecond, nil
}

// Write encodes a log as RMM does: hexadecimal pointers, the time of day.
func Write(w io.Writer, records []Record) error {
	bw := bufio.NewWriter(w)
	fmt.Fprintln(bw, strings.Join(columns, ","))
	for _, r := range records {
		t := r.Time % (24 * time.Hour)
		fmt.Fprintf(bw, "%d,%02d:%02d:%02d.%06d,%s,%#x,%d,%#x\n", r.Thread, int(t.Hours()), int(t.Minutes())%60, int(t.Seconds())%60,
			t.Microseconds()%1e6, r.Action, r.Pointer, r.Size, r.Stream)
	}
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("RMM log: %w", err)
	}
	return nil
}

// Entries translates a log into an allocator's history: a free becomes a
// request that completes at once, since RMM frees in stream order.
func Entries(records []Record) []gpumem.Entry {
	out := make([]gpumem.Entry, 0, len(records)*3/2)
	for _, r := range records {
		e := gpumem.Entry{Addr: gpumem.Ptr(r.Pointer), Size: r.Size, Stream: gpumem.StreamHandle(r.Stream), Time: int64(r.Time)}
		switch r.Action {
		case Allocate:
			e.Action = gpumem.ActionAlloc
			out = append(out, e)
		case Failure:
			e.Action = gpumem.ActionOOM
			out = append(out, e)
		case Free:
			e.Action = gpumem.ActionFreeRequested
			out = append(out, e)
			e.Action = gpumem.ActionFreeCompleted
			out = append(out, e)
		}
	}
	return out
}

// FromEntries translates an allocator's history into a log. What RMM has no
// word for, segments and snapshots, is left out; frees are taken where the
// program asked for them.
func FromEntries(entries []gpumem.Entry) []Record {
	var out []Record
	for _, e := range entries {
		r := Record{Time: time.Duration(e.Time), Pointer: uint64(e.Addr), Size: e.Size, Stream: uint64(e.Stream)}
		switch e.Action {
		case gpumem.ActionAlloc:
			r.Action = Allocate
		case gpumem.ActionFreeRequested:
			r.Action = Free
		case gpumem.ActionOOM:
			r.Action, r.Pointer = Failure, 0 // an OOM entry's address is the device's free bytes
		default:
			continue
		}
		out = append(out, r)
	}
	return out
}
