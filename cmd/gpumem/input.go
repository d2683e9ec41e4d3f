// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem/replay"
	"github.com/gpumemlint/gpumemlint/runtime/profile"
	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
	"github.com/gpumemlint/gpumemlint/runtime/profile/rmm"
)

// kind is what a file turned out to be.
type kind int

const (
	kindSnapshot kind = iota
	kindTrace
	kindLog
)

// readFile reads a file, or the standard input for -, and unpacks gzip.
func (env *environment) readFile(name string) ([]byte, error) {
	var data []byte
	var err error
	if name == "-" {
		data, err = io.ReadAll(env.stdin)
	} else {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, err
	}
	if data, err = memviz.Unpack(data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// sniff tells the kinds apart by what they begin with, and two kinds of JSON by
// their members.
func sniff(data []byte) kind {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var probe struct {
			Events   *json.RawMessage `json:"events"`
			Segments *json.RawMessage `json:"segments"`
		}
		if err := json.Unmarshal(data, &probe); err == nil && probe.Events != nil && probe.Segments == nil {
			return kindTrace
		}
		return kindSnapshot
	}
	if line, _, _ := bytes.Cut(data, []byte("\n")); bytes.Contains(line, []byte("Action")) && bytes.Contains(line, []byte(",")) {
		return kindLog
	}
	return kindSnapshot // also of what is none: its reader says so best
}

// readSnapshot reads any file as a snapshot.
func (env *environment) readSnapshot(name string) (*memviz.Snapshot, error) {
	data, err := env.readFile(name)
	if err != nil {
		return nil, err
	}
	if sniff(data) == kindSnapshot {
		s, err := memviz.Read(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return s, nil
	}
	t, err := parseTrace(data, name, 0)
	if err != nil {
		return nil, err
	}
	s := profile.FromEntries(t.Events)
	s.Settings.Conf = t.Conf
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// readTrace reads any file as a history to be replayed: a recorded trace, an
// RMM log, or the events of one device of a snapshot.
func (env *environment) readTrace(name string, device int) (*replay.Trace, error) {
	data, err := env.readFile(name)
	if err != nil {
		return nil, err
	}
	return parseTrace(data, name, device)
}

func parseTrace(data []byte, name string, device int) (*replay.Trace, error) {
	switch sniff(data) {
	case kindTrace:
		t, err := replay.Read(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return t, nil
	case kindLog:
		records, err := rmm.Read(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return &replay.Trace{Name: name, Events: rmm.Entries(records)}, nil
	}
	s, err := memviz.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if device >= len(s.Traces) || len(s.Traces[device]) == 0 {
		return nil, fmt.Errorf("%s: the snapshot has no events of device %d; record with a history", name, device)
	}
	return &replay.Trace{Name: name, Conf: s.Settings.Conf, Partial: true, Events: profile.Entries(s, device)}, nil
}
