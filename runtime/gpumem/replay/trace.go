// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Trace is a recorded history, oldest event first.
type Trace struct {
	Name     string
	Conf     string // PYTORCH_CUDA_ALLOC_CONF of the run
	Settings *Settings
	Limit    int64 // bytes that the run was allowed to reserve; 0 is no limit
	Recorded *Recorded
	// Partial says that the history may begin in the middle of a run, as that
	// of a ring buffer does: it may free what it has not allocated.
	Partial bool
	Events  []gpumem.Entry
}

// Settings are what the recorded allocator made of its Conf.
type Settings struct {
	MaxSplitSize     *int64           `json:"max_split_size"` // -1 is none
	GCThreshold      *float64         `json:"garbage_collection_threshold"`
	Expandable       *bool            `json:"expandable_segments"`
	RoundupDivisions map[string]int64 `json:"roundup_power2_divisions"`
}

// Recorded is what the recorded allocator itself counted, in bytes and calls.
type Recorded struct {
	PeakRequested int64 `json:"peak_requested"`
	PeakActive    int64 `json:"peak_active"`
	PeakReserved  int64 `json:"peak_reserved"`
	DriverAllocs  int64 `json:"driver_allocs"`
	DriverFrees   int64 `json:"driver_frees"`
	Syncs         int64 `json:"-"`
	Retries       int64 `json:"-"` // misses that emptied the cache first
}

// maxTrace bounds a history's text; longer ones are refused rather than
// swallowed.
const maxTrace = 1 << 30

// Read reads a history in this project's own JSON form, plain or gzipped:
// an object with name, conf, limit, stats and events, each event a list
// [action, address, size, stream].
func Read(r io.Reader) (*Trace, error) {
	text, err := readAll(r)
	if err != nil {
		return nil, fmt.Errorf("read trace: %w", err)
	}
	var raw struct {
		Name     string           `json:"name"`
		Conf     string           `json:"conf"`
		Limit    int64            `json:"limit"`
		Settings *Settings        `json:"settings"`
		Active   *int64           `json:"peak_active"`
		Request  int64            `json:"peak_requested"`
		Reserved *int64           `json:"peak_reserved"`
		Stats    map[string]int64 `json:"stats"`
		Events   []rawEvent       `json:"events"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("read trace: %w", explain(err))
	}
	if raw.Events == nil {
		return nil, errors.New(`read trace: it has no "events"`)
	}
	if raw.Limit < 0 {
		return nil, fmt.Errorf("read trace: limit is %d, want bytes", raw.Limit)
	}
	t := &Trace{Name: raw.Name, Conf: raw.Conf, Settings: raw.Settings, Limit: raw.Limit,
		Events: make([]gpumem.Entry, len(raw.Events))}
	for i, e := range raw.Events {
		if t.Events[i], err = e.entry(); err != nil {
			return nil, fmt.Errorf("read trace: event %d: %w", i, err)
		}
	}
	if raw.Active != nil && raw.Reserved != nil {
		t.Recorded = &Recorded{PeakRequested: raw.Request, PeakActive: *raw.Active, PeakReserved: *raw.Reserved,
			DriverAllocs: raw.Stats["num_device_alloc"], DriverFrees: raw.Stats["num_device_free"],
			Syncs: raw.Stats["num_sync_all_streams"], Retries: raw.Stats["num_alloc_retries"]}
	}
	return t, nil
}

// readAll reads r, unpacking gzip.
func readAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxTrace+1))
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		if text, err = io.ReadAll(io.LimitReader(z, maxTrace+1)); err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
	}
	if len(text) > maxTrace {
		return nil, fmt.Errorf("longer than %v", gpumem.Bytes(maxTrace))
	}
	return text, nil
}

// explain says where in the text a JSON mistake is.
func explain(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("at byte %d: %w", syntax.Offset, err)
	}
	return err
}

type rawEvent []json.RawMessage

// entry checks one event.
func (e rawEvent) entry() (gpumem.Entry, error) {
	if len(e) != 4 {
		return gpumem.Entry{}, fmt.Errorf("%d fields, want action, address, size and stream", len(e))
	}
	name, err := strconv.Unquote(string(e[0]))
	if err != nil {
		return gpumem.Entry{}, fmt.Errorf("action %s is not a string", e[0])
	}
	action, ok := gpumem.ParseAction(name)
	if !ok {
		return gpumem.Entry{}, fmt.Errorf("unknown action %q", name)
	}
	var n [3]uint64
	for i, field := range [...]string{"address", "size", "stream"} {
		if i == 0 && (action == gpumem.ActionOOM || action == gpumem.ActionSnapshot) && string(e[1]) == "null" {
			continue // these have no address
		}
		if n[i], err = strconv.ParseUint(string(e[i+1]), 10, 63); err != nil {
			return gpumem.Entry{}, fmt.Errorf("%s %s is not a number from 0 on", field, e[i+1])
		}
	}
	return gpumem.Entry{Action: action, Addr: gpumem.Ptr(n[0]), Size: int64(n[1]), Stream: gpumem.StreamHandle(n[2])}, nil
}

// conf gives the settings that the recorded allocator had.
func (t *Trace) conf() (gpumem.Conf, error) {
	c, err := gpumem.ParseConf(t.Conf)
	if err != nil || t.Settings == nil {
		return c, err
	}
	s := t.Settings
	if s.MaxSplitSize != nil && *s.MaxSplitSize > 0 {
		c.MaxSplitSize = *s.MaxSplitSize
	}
	if s.GCThreshold != nil {
		c.GCThreshold = *s.GCThreshold
	}
	if s.Expandable != nil {
		c.Expandable = *s.Expandable
	}
	for key, steps := range s.RoundupDivisions {
		mb, err := strconv.ParseInt(key, 10, 64)
		if err != nil || mb <= 0 || mb&(mb-1) != 0 {
			return c, fmt.Errorf("settings: roundup_power2_divisions: size %q is not a power of two", key)
		}
		c.SetDivisions(mb, steps)
	}
	return c, nil
}
