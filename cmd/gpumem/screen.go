// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// screen is where top writes to: a terminal that it draws anew each time, or
// anything else, which gets one text after the other.
type screen struct {
	out    io.Writer
	live   bool
	color  bool
	size   func() (width, height int)
	input  *os.File // of a terminal that was made raw
	before *term.State
}

// defaultWidth is that of a table that goes to a file.
const defaultWidth = 120

// Terminal control: the alternate screen without a cursor, home, and erasing.
const (
	enter     = "\x1b[?1049h\x1b[?25l"
	leave     = "\x1b[?25h\x1b[?1049l"
	home      = "\x1b[H"
	eraseLine = "\x1b[K"
	eraseRest = "\x1b[J"
)

func openScreen(env *environment, f *topFlags) *screen {
	s := &screen{out: env.stdout, size: func() (int, int) { return defaultWidth, 0 }}
	out, isFile := env.stdout.(*os.File)
	terminal := isFile && term.IsTerminal(int(out.Fd()))
	s.color = f.color == "always" || f.color == "auto" && terminal && os.Getenv("NO_COLOR") == ""
	if !terminal {
		return s
	}
	s.size = func() (int, int) {
		w, h, err := term.GetSize(int(out.Fd()))
		if err != nil {
			return defaultWidth, 0
		}
		return w, h
	}
	if f.json || f.line || f.count == 1 {
		return s // stays in the scroll-back
	}
	s.live = true
	if in, ok := env.stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		if before, err := term.MakeRaw(int(in.Fd())); err == nil {
			s.input, s.before = in, before
		}
	}
	_, _ = io.WriteString(s.out, enter)
	return s
}

// onQuit calls f when the user types q, or what interrupts otherwise. A raw
// terminal makes no signal of it.
func (s *screen) onQuit(f func()) {
	if s.input == nil {
		return
	}
	go func() {
		var key [1]byte
		for {
			if n, err := s.input.Read(key[:]); err != nil || n == 0 {
				return
			}
			if k := key[0]; k == 'q' || k == 'Q' || k == 3 || k == 4 {
				f()
				return
			}
		}
	}()
}

// close gives the terminal back as it was.
func (s *screen) close() {
	if s.live {
		_, _ = io.WriteString(s.out, leave)
	}
	if s.before != nil {
		_ = term.Restore(int(s.input.Fd()), s.before)
	}
}

func (s *screen) print(text string) error {
	_, err := io.WriteString(s.out, text)
	return err
}

// draw shows the table, in place on a live screen.
func (s *screen) draw(sm *moment) error {
	width, height := s.size()
	lines := table(sm, style{color: s.color, width: width, live: s.live})
	if !s.live {
		return s.print(strings.Join(lines, "\n") + "\n")
	}
	if height > 0 && len(lines) > height {
		lines = lines[:height]
	}
	return s.print(home + strings.Join(lines, eraseLine+"\r\n") + eraseLine + eraseRest)
}
