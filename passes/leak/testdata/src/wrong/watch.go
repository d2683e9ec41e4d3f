// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"context"

	"example.com/dev"
)

func watchForever() error {
	events, err := dev.Watch(context.Background(), 1) // want `watch from dev.Watch is never cancelled \(GM102\)`
	if err != nil {
		return err
	}
	<-events
	return nil
}

func watchCancelledOnErrorOnly(n int) (int, error) {
	ctx, cancel := context.WithCancel(context.Background())
	events, err := dev.Watch(ctx, n) // want `watch from dev.Watch is never cancelled \(GM102\)`
	if err != nil {
		cancel()
		return 0, err
	}
	return <-events, nil
}

func watchHandedOn() (<-chan int, context.CancelFunc, error) {
	ctx, cancel := context.WithCancel(context.Background())
	events, err := dev.Watch(ctx, 1)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return events, cancel, nil
}

func watchLeftAlone() error {
	events, cancel, err := watchHandedOn() // want `watch from watchHandedOn is never cancelled \(GM102\)`
	if err != nil {
		return err
	}
	_ = cancel
	<-events
	return nil
}
