// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"context"
	"errors"
	"runtime"
	"time"

	"example.com/dev"
)

type result struct {
	buf *dev.Buf
	err error
}

// Room for one.
func open(ctx context.Context, n int) (*dev.Buf, error) {
	ch := make(chan result, 1)
	go func() {
		b, err := dev.New(n)
		ch <- result{b, err}
	}()
	select {
	case r := <-ch:
		return r.buf, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// The send gives up as well.
func openSelect(ctx context.Context, n int) (*dev.Buf, error) {
	ch := make(chan result)
	go func() {
		b, err := dev.New(n)
		select {
		case ch <- result{b, err}:
		case <-ctx.Done():
			if err == nil {
				b.Free()
			}
		}
	}()
	select {
	case r := <-ch:
		return r.buf, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Somebody receives what comes late.
func openDrained(ctx context.Context, n int) (*dev.Buf, error) {
	ch := make(chan result)
	go func() {
		b, err := dev.New(n)
		ch <- result{b, err}
	}()
	select {
	case r := <-ch:
		return r.buf, r.err
	case <-ctx.Done():
		go func() {
			if r := <-ch; r.err == nil {
				r.buf.Free()
			}
		}()
		return nil, ctx.Err()
	}
}

func fill(b *dev.Buf, n int) error {
	errs := make(chan error)
	go func() { errs <- b.Fill(1) }()
	if n < 0 {
		<-errs
		return errors.New("negative")
	}
	return <-errs
}

func fillAll(bufs []*dev.Buf) error {
	errs := make(chan error)
	for _, b := range bufs {
		go func() { errs <- b.Fill(1) }()
	}
	var first error
	for range bufs {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Close stops the loop.
type engine struct {
	buf  *dev.Buf
	work chan int
	done chan struct{}
}

func newEngine(n int) (*engine, error) {
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	e := &engine{buf: b, work: make(chan int), done: make(chan struct{})}
	go e.run()
	return e, nil
}

func (e *engine) run() {
	for {
		select {
		case n := <-e.work:
			e.buf.Fill(byte(n))
		case <-e.done:
			return
		}
	}
}

func (e *engine) submit(n int) { e.work <- n }

func (e *engine) Close() {
	close(e.done)
	e.buf.Free()
}

// The worker owns the buffer and ends when the channel is closed.
type ranger struct {
	buf  *dev.Buf
	work chan int
}

func newRanger(n int) (*ranger, error) {
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	r := &ranger{buf: b, work: make(chan int)}
	go func() {
		defer r.buf.Free()
		for n := range r.work {
			r.buf.Fill(byte(n))
		}
	}()
	return r, nil
}

func (r *ranger) submit(n int) { r.work <- n }

func (r *ranger) Close() { close(r.work) }

func watch(ctx context.Context, b *dev.Buf) {
	go func() {
		defer b.Free()
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				b.Fill(1)
			}
		}
	}()
}

func wait(b *dev.Buf) error {
	done := make(chan struct{})
	go func() {
		defer b.Free()
		<-done
	}()
	defer close(done)
	return b.Fill(1)
}

// The caller closes it.
func waitFor(b *dev.Buf, done <-chan struct{}) {
	go func() {
		defer b.Free()
		<-done
	}()
}

func relay(ctx context.Context, in <-chan *dev.Buf) <-chan *dev.Buf {
	out := make(chan *dev.Buf)
	go func() {
		defer close(out)
		for {
			select {
			case b := <-in:
				select {
				case out <- b:
				case <-ctx.Done():
					b.Free()
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

type thread struct{ jobs chan func() }

func newThread(n int) (*thread, error) {
	t := &thread{jobs: make(chan func())}
	go t.run()
	if n < 0 {
		t.Close()
		return nil, errors.New("negative")
	}
	return t, nil
}

func (t *thread) run() {
	runtime.LockOSThread()
	for job := range t.jobs {
		job()
	}
}

func (t *thread) Close() { close(t.jobs) }

var cleanups []func()

// A func that releases is a clean-up.
func later(b *dev.Buf) { cleanups = append(cleanups, func() { b.Free() }) }

var hooks []func()

func onDone(b *dev.Buf) { hooks = append(hooks, func() { b.Fill(1) }) }

func done() {
	for _, h := range hooks {
		h()
	}
	hooks = nil
}

// A worker that lives as long as the program holds a fixed amount.
func startBackground(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	go func() {
		defer b.Free()
		for {
			b.Fill(1)
			time.Sleep(time.Minute)
		}
	}()
	return nil
}
