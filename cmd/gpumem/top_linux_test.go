// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// openTerminal opens a pseudo-terminal of 110 columns and 30 lines.
func openTerminal(t *testing.T) (keyboard, tty *os.File) {
	t.Helper()
	ioctl := func(f *os.File, request uintptr, arg unsafe.Pointer) {
		t.Helper()
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(arg)); errno != 0 {
			t.Skipf("no pseudo-terminal here: ioctl %#x: %v", request, errno)
		}
	}
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	var unlock, number int32
	ioctl(keyboard, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	ioctl(keyboard, syscall.TIOCGPTN, unsafe.Pointer(&number))
	size := [4]uint16{30, 110}
	ioctl(keyboard, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	t.Cleanup(func() { tty.Close(); keyboard.Close() })
	return keyboard, tty
}

// TestTopOnATerminal lets top draw on a terminal until it has drawn twice, types
// q, and checks that the terminal is given back as it was.
func TestTopOnATerminal(t *testing.T) {
	keyboard, tty := openTerminal(t)
	t.Setenv("NO_COLOR", "")
	var mu sync.Mutex
	var out bytes.Buffer
	drawn := make(chan struct{})
	go func() {
		var once sync.Once
		buf := make([]byte, 4096)
		for {
			n, err := keyboard.Read(buf)
			mu.Lock()
			out.Write(buf[:n])
			twice := strings.Count(out.String(), home) >= 2 && strings.HasSuffix(out.String(), eraseRest)
			mu.Unlock()
			if twice {
				once.Do(func() { close(drawn) })
			}
			if err != nil {
				return
			}
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	env := &environment{ctx: ctx, stdin: tty, stdout: tty, stderr: tty, openDriver: func() (driver, error) { return machine(), nil }}
	done := make(chan int, 1)
	go func() { done <- env.run([]string{"top", "-interval", "100ms"}) }()
	select {
	case <-drawn:
	case status := <-done:
		t.Fatalf("ended with %d: %q", status, out.String())
	}
	if _, err := keyboard.WriteString("xq"); err != nil {
		t.Fatal(err)
	}
	if status := <-done; status != exitOK {
		t.Errorf("status %d", status)
	}
	// Behind what the terminal still has to say stands a mark of ours.
	if _, err := tty.WriteString("END"); err != nil {
		t.Fatal(err)
	}
	for {
		mu.Lock()
		text := out.String()
		mu.Unlock()
		if !strings.Contains(text, "END") {
			time.Sleep(time.Millisecond)
			continue
		}
		if !strings.HasPrefix(text, enter+home) || !strings.HasSuffix(text, leave+"END") {
			t.Errorf("the screen is not entered first and left last: %q", text)
		}
		for _, want := range []string{"(q quits)", "\x1b[1mGPU 0 NVIDIA H200\x1b[0m", "allocator's view", eraseLine + "\r\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in %q", want, text)
			}
		}
		return
	}
}
