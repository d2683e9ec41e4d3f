// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package across has its elements in containers of another package.
package across

import (
	"example.com/bag"
	"example.com/dev"
)

type server struct {
	all    bag.List[*dev.Buf]
	names  bag.List[string]
	owned  *bag.Owned[*dev.Buf]
	stack  bag.Stack[*dev.Buf]
	pushed bag.Stack[*dev.Buf]
	lent   bag.List[*dev.Buf]
	passed bag.List[*dev.Buf]
}

func newServer() *server { return &server{owned: bag.NewOwned[*dev.Buf]()} }

func (s *server) note(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	s.names.Add("a name")
	s.all.Add(b) // want `^device buffer from dev.New \(line 25\) is kept in s.all, from which nothing ever takes it: bound it, or have what it drops freed \(GM201\)$`
	return nil
}

func (s *server) keep(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	s.owned.Keep(b) // want `is kept in s.owned`
	return nil
}

func (s *server) push(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	s.stack.Push(b)
	if b, err = dev.New(n); err != nil {
		return err
	}
	s.pushed.Push(b) // want `is kept in s.pushed`
	return nil
}

func (s *server) pop() {
	if b, ok := s.stack.Pop(); ok {
		b.Free()
	}
}

// Whoever puts it in frees it.
func (s *server) lend(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	defer b.Free()
	s.lent.Add(b)
	return nil
}

func (s *server) pass(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	s.passed.Add(b)
	return nil
}

// What else happens to it cannot be seen.
func (s *server) passOn(to func(*bag.List[*dev.Buf])) { to(&s.passed) }
