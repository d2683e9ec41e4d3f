// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/gpumemlint/gpumemlint/internal/govet"
)

func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// wantsColour honours the two conventions by which users switch colour off.
func wantsColour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// startProgress shows on a terminal how many packages are done, and does
// nothing elsewhere. The function that it returns takes the display away.
func startProgress(ctx context.Context, stderr io.Writer, o *govet.Options) (stop func()) {
	if !isTerminal(stderr) {
		return func() {}
	}
	p := &progress{w: stderr}
	p.show()
	counting, cancel := context.WithCancel(ctx)
	counted := make(chan struct{})
	opts := *o
	go func() {
		defer close(counted)
		if n, err := govet.Count(counting, opts); err == nil {
			p.update(func() { p.total = n })
		}
	}()
	o.OnPackage = func() { p.update(func() { p.done++ }) }
	return func() {
		cancel()
		<-counted
		p.clear()
	}
}

// progress is a line on a terminal that is written over.
type progress struct {
	mu          sync.Mutex
	w           io.Writer
	done, total int
}

const clearLine = "\r\x1b[K"

func (p *progress) update(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	p.show()
}

func (p *progress) show() {
	switch {
	case p.total > 0:
		fmt.Fprintf(p.w, "%s%d/%d packages analysed", clearLine, min(p.done, p.total), p.total)
	case p.done > 0:
		fmt.Fprintf(p.w, "%s%d packages analysed", clearLine, p.done)
	default:
		fmt.Fprintf(p.w, "%sloading packages", clearLine)
	}
}

func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprint(p.w, clearLine)
}

// stages shows how far gpumemlint test has come: on a terminal as a line that
// is written over, elsewhere as a line now and then, so that the log of a long
// run is not silent and that of a short one not noisy.
type stages struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	what     string
	done     int
	total    int
	ticker   *time.Ticker
	over     chan struct{}
}

// logEvery is how often a run that is no terminal's says where it is.
const logEvery = 30 * time.Second

func startStages(ctx context.Context, stderr io.Writer) *stages {
	s := &stages{w: stderr, terminal: isTerminal(stderr), over: make(chan struct{})}
	if s.terminal {
		return s
	}
	s.ticker = time.NewTicker(logEvery)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.over:
				return
			case <-s.ticker.C:
				s.mu.Lock()
				fmt.Fprintf(s.w, "gpumemlint: %s\n", s.line())
				s.mu.Unlock()
			}
		}
	}()
	return s
}

func (s *stages) line() string {
	if s.total == 0 {
		return s.what
	}
	return fmt.Sprintf("%s: %d of %d done", s.what, s.done, s.total)
}

func (s *stages) update(what string, done, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.what, s.done, s.total = what, done, total
	if s.terminal {
		fmt.Fprint(s.w, clearLine+s.line())
	}
}

func (s *stages) stop() {
	close(s.over)
	if s.ticker != nil {
		s.ticker.Stop()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.terminal {
		fmt.Fprint(s.w, clearLine)
	}
}
