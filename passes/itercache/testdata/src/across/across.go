// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command across is the top: what neither it nor what it imports takes out stays.
package main

import (
	"bufio"
	"os"

	"example.com/bag"
	"example.com/dev"
)

type model struct {
	book *bag.Book
	page *bag.Book
}

func newModel() *model { return &model{book: bag.NewBook(), page: bag.NewBook()} }

func main() {
	m := newModel()
	defer m.book.Close()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if m.forward(in.Text()) != nil || m.pages(in.Text()) != nil || process(in.Text()) != nil {
			return
		}
	}
}

func (m *model) forward(key string) error {
	b, err := dev.New(len(key))
	if err != nil {
		return err
	}
	m.book.Put(key, b) // want `^device buffer from dev.New \(line 34\) is added to m.book with every call of forward and stays there: keep a bounded number, and have the oldest freed \(GM203\)$`
	return nil
}

func (m *model) pages(key string) error {
	b, err := dev.New(len(key))
	if err != nil {
		return err
	}
	m.page.Put(key, b)
	defer m.page.Remove(key[1:])
	m.page.Remove(key)
	return nil
}

func process(key string) error {
	b, err := dev.New(len(key))
	if err != nil {
		return err
	}
	bag.Keep(key, b) // want `is added to bag.kept with every call of process`
	if b, err = dev.New(len(key)); err != nil {
		return err
	}
	bag.Trimmed = append(bag.Trimmed, b)
	return see(key)
}

func see(key string) error {
	b, err := dev.New(len(key))
	if err != nil {
		return err
	}
	bag.Seen = append(bag.Seen, b) // want `is added to bag.Seen with every`
	return nil
}
