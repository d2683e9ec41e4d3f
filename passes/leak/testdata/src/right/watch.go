// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"context"
	"os"
	"os/signal"
	"time"

	"example.com/dev"
)

func watchUntilDone() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	events, err := dev.Watch(ctx, 1)
	if err != nil {
		return err
	}
	<-events
	return nil
}

func watchAndCancel(n int) int {
	ctx, cancel := context.WithCancel(context.Background())
	events, err := dev.Watch(context.WithValue(ctx, key{}, n), n)
	if err != nil {
		cancel()
		return 0
	}
	n = <-events
	cancel()
	return n
}

type key struct{}

func watchForAWhile() (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	_ = cancel // ends by itself
	events, err := dev.Watch(ctx, 1)
	if err != nil {
		return 0, err
	}
	return <-events, nil
}

func watchForCaller(ctx context.Context) (int, error) {
	events, err := dev.Watch(ctx, 1)
	if err != nil {
		return 0, err
	}
	return <-events, nil
}

func watchUntilSignal() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer func() { stop() }()
	events, err := dev.Watch(ctx, 1)
	if err != nil {
		return err
	}
	<-events
	return nil
}

func watchAndHandOn() (<-chan int, context.CancelFunc, error) {
	ctx, cancel := context.WithCancel(context.Background())
	events, err := dev.Watch(ctx, 1)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return events, cancel, nil
}

func watchHandedOn() error {
	events, cancel, err := watchAndHandOn()
	if err != nil {
		return err
	}
	defer cancel()
	<-events
	return nil
}

type watcher struct {
	events <-chan int
	cancel context.CancelFunc
}

func newWatcher() (*watcher, error) {
	ctx, cancel := context.WithCancel(context.Background())
	events, err := dev.Watch(ctx, 1)
	if err != nil {
		cancel()
		return nil, err
	}
	return &watcher{events, cancel}, nil
}

func (w *watcher) Close() { w.cancel() }
