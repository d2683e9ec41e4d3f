// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"runtime"

	"bugs/lib/gpu"
)

// The loop has no way out: the break only leaves the select, and Close stops
// nothing.
type b45EngineBug struct {
	ctx  *gpu.Context
	work chan func()
	sync chan struct{}
}

func b45NewBug() (*b45EngineBug, error) {
	ctx, err := gpu.NewContext()
	if err != nil {
		return nil, err
	}
	e := &b45EngineBug{ctx: ctx, work: make(chan func()), sync: make(chan struct{})}
	go e.run() // want GM204
	return e, nil
}

func (e *b45EngineBug) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		select {
		case job := <-e.work:
			if err := e.ctx.Do(job); err != nil {
				break
			}
			e.sync <- struct{}{}
		}
	}
}

func (e *b45EngineBug) do(job func()) {
	e.work <- job
	<-e.sync
}

func (e *b45EngineBug) Close() error { return e.ctx.Close() }

type b45EngineFixed struct {
	ctx    *gpu.Context
	work   chan func()
	sync   chan struct{}
	finish chan struct{}
}

func b45NewFixed() (*b45EngineFixed, error) {
	ctx, err := gpu.NewContext()
	if err != nil {
		return nil, err
	}
	e := &b45EngineFixed{ctx: ctx, work: make(chan func()), sync: make(chan struct{}), finish: make(chan struct{})}
	go e.run()
	return e, nil
}

func (e *b45EngineFixed) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
loop:
	for {
		select {
		case job := <-e.work:
			if err := e.ctx.Do(job); err != nil {
				break loop
			}
			e.sync <- struct{}{}
		case <-e.finish:
			break loop
		}
	}
}

func (e *b45EngineFixed) do(job func()) {
	e.work <- job
	<-e.sync
}

func (e *b45EngineFixed) Close() error {
	close(e.finish)
	return e.ctx.Close()
}
