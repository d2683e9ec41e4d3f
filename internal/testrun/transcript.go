// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package testrun

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// transcript reads what a test binary prints under -test.v=test2json, as it comes:
// which top-level tests began and ended. In that mode the testing package puts
// the byte 0x16 before what it says itself, so that nothing a test prints is
// taken for it. Writes come from one goroutine.
type transcript struct {
	begun  []string
	over   map[string]bool
	failed []string
	panics string // the first line of a panic or fatal error
	last   []string
	rest   []byte // of a line that is not complete yet
}

const (
	marker   = 0x16
	maxLine  = 64 << 10 // what is longer is cut: nobody reads it
	lastKept = 40
)

func (l *transcript) Write(p []byte) (int, error) {
	for _, b := range p {
		switch {
		case b == '\n' || b == marker:
			l.line(string(l.rest))
			l.rest = l.rest[:0]
			if b == marker {
				l.rest = append(l.rest, marker)
			}
		case len(l.rest) < maxLine:
			l.rest = append(l.rest, b)
		}
	}
	return len(p), nil
}

// close takes the last line, which a crash may have left without its end.
func (l *transcript) close() {
	l.line(string(bytes.TrimSpace(l.rest)))
	l.rest = nil
}

var (
	beginning = regexp.MustCompile(`^\x16=== (?:RUN|CONT) +(\S+)`)
	ending    = regexp.MustCompile(`^\x16--- (PASS|FAIL|SKIP|BENCH): (\S+)`)
	dying     = regexp.MustCompile(`^(?:panic|fatal error|signal|SIG[A-Z]+): .*`)
)

func (l *transcript) line(s string) {
	if s == "" {
		return
	}
	if len(l.last) == lastKept {
		l.last = slices.Delete(l.last, 0, 1)
	}
	l.last = append(l.last, strings.TrimPrefix(s, string(rune(marker))))
	if m := beginning.FindStringSubmatch(s); m != nil {
		if name, _, sub := strings.Cut(m[1], "/"); !sub {
			delete(l.over, name) // -count runs it again
			l.begun = append(l.begun, name)
		}
	}
	if m := ending.FindStringSubmatch(s); m != nil && !strings.Contains(m[2], "/") {
		if l.over == nil {
			l.over = map[string]bool{}
		}
		l.over[m[2]] = true
		if m[1] == "FAIL" && !slices.Contains(l.failed, m[2]) {
			l.failed = append(l.failed, m[2])
		}
	}
	if l.panics == "" && dying.MatchString(s) {
		l.panics = strings.TrimSpace(s)
	}
}

// running is the test that began last and has not ended, or empty.
func (l *transcript) running() string {
	for _, name := range slices.Backward(l.begun) {
		if !l.over[name] {
			return name
		}
	}
	return ""
}
