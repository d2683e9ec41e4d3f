// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

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

// Nobody receives when the context is cancelled first.
func open(ctx context.Context, n int) (*dev.Buf, error) {
	ch := make(chan result)
	go func() { // want `^goroutine holds device buffer and blocks for ever if this function returns at line 31 before it receives from ch: give the channel room for one, or let the send give up with the context \(GM204\)$`
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

func fill(b *dev.Buf, n int) error {
	errs := make(chan error)
	go func() { errs <- b.Fill(1) }() // want `goroutine holds device buffer b and blocks for ever`
	if n < 0 {
		return errors.New("negative")
	}
	return <-errs
}

// The first error leaves the others behind.
func fillAll(bufs []*dev.Buf) error {
	errs := make(chan error)
	for _, b := range bufs {
		go func() { errs <- b.Fill(1) }() // want `GM204`
	}
	for range bufs {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

func send(b *dev.Buf, errs chan<- error) { errs <- b.Fill(1) }

func timed(b *dev.Buf, d time.Duration) error {
	errs := make(chan error)
	go send(b, errs) // want `before it receives from errs`
	select {
	case err := <-errs:
		return err
	case <-time.After(d):
		return errors.New("late")
	}
}

// The break only leaves the select, and Close stops nothing.
type engine struct {
	buf  *dev.Buf
	work chan int
}

func newEngine(n int) (*engine, error) {
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	e := &engine{buf: b, work: make(chan int)}
	go e.run() // want `^goroutine holds engine and never ends: engine.Close does not stop it, so close a channel there that its loop looks at \(GM204\)$`
	return e, nil
}

func (e *engine) run() {
	for {
		select {
		case n := <-e.work:
			if n < 0 {
				break
			}
			e.buf.Fill(byte(n))
		}
	}
}

func (e *engine) submit(n int) { e.work <- n }

func (e *engine) Close() { e.buf.Free() }

// The loop looks at a channel that nobody closes.
type looker struct {
	buf  *dev.Buf
	done chan struct{}
}

func newLooker(n int) (*looker, error) {
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	l := &looker{buf: b, done: make(chan struct{})}
	go l.run() // want `looker.Close does not stop it`
	return l, nil
}

func (l *looker) run() {
	for {
		select {
		case <-time.After(time.Second):
			l.buf.Fill(1)
		case <-l.done:
			return
		}
	}
}

func (l *looker) Close() { l.buf.Free() }

// A range over a channel that nobody closes.
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
	go func() { // want `ranger.Close does not stop it`
		for n := range r.work {
			r.buf.Fill(byte(n))
		}
	}()
	return r, nil
}

func (r *ranger) submit(n int) { r.work <- n }

func (r *ranger) Close() { r.buf.Free() }

// One more with every call.
func watch(b *dev.Buf) {
	go func() { // want `^goroutine holds device buffer b and never ends: every call of watch leaves one more, so let it return when its work is done or the context is cancelled \(GM204\)$`
		defer b.Free()
		for {
			b.Fill(1)
			time.Sleep(time.Second)
		}
	}()
}

func wait(b *dev.Buf) {
	done := make(chan struct{})
	go func() { // want `never ends`
		defer b.Free()
		<-done
	}()
}

// The send is not part of the select.
func relay(ctx context.Context, in <-chan *dev.Buf) <-chan *dev.Buf {
	out := make(chan *dev.Buf)
	go func() { // want `goroutine holds device buffer and blocks for ever in its send at line 183 once the receiver is gone: select on the context there as well`
		defer close(out)
		for {
			select {
			case b := <-in:
				out <- b
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// A constructor that fails leaves its worker.
type thread struct{ jobs chan func() }

func newThread(n int) (*thread, error) {
	t := &thread{jobs: make(chan func())}
	go t.run()
	if n < 0 {
		return nil, errors.New("negative") // want `^goroutine started at line 197 holds locked OS thread and is left running when this fails: stop it before returning \(GM204\)$`
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

var hooks []func()

// A callback keeps what it captured.
func onDone(b *dev.Buf) {
	hooks = append(hooks, func() { b.Fill(1) }) // want `^a func that holds device buffer b is kept in hooks, from which nothing ever takes it: take it out when its work is done \(GM204\)$`
}
