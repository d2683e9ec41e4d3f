// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

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
