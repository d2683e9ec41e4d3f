// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "runtime"

type u61ThreadBug struct{ jobs chan func() error }

// The constructor starts the thread, and a failure leaves it waiting for ever.
func u61NewBug(setup func() error) (*u61ThreadBug, error) {
	t := &u61ThreadBug{jobs: make(chan func() error)}
	go t.loop()
	if err := setup(); err != nil {
		return nil, err // want GM204
	}
	return t, nil
}

func (t *u61ThreadBug) loop() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for job := range t.jobs {
		if job() != nil {
			return
		}
	}
}

func (t *u61ThreadBug) Close() { close(t.jobs) }

type u61ThreadFixed struct{ jobs chan func() error }

func u61NewFixed(setup func() error) (*u61ThreadFixed, error) {
	t := &u61ThreadFixed{jobs: make(chan func() error)}
	go t.loop()
	if err := setup(); err != nil {
		close(t.jobs)
		return nil, err
	}
	return t, nil
}

func (t *u61ThreadFixed) loop() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for job := range t.jobs {
		if job() != nil {
			return
		}
	}
}

func (t *u61ThreadFixed) Close() { close(t.jobs) }
