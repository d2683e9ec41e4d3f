// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package across has its elements in containers of another package.
package across

import (
	"example.com/bag"
	"example.com/dev"
)

type server struct {
	users   *bag.Map[string, *dev.Buf]
	members *bag.Map[string, *dev.Buf]
	recent  *bag.Bounded[*dev.Buf]
	called  *bag.Bounded[*dev.Buf]
	handed  *bag.Map[string, *dev.Buf]
}

func newServer(handed *bag.Map[string, *dev.Buf]) *server {
	return &server{
		users:   bag.NewMap[string, *dev.Buf](),
		members: bag.NewMap[string, *dev.Buf](),
		recent:  bag.NewBounded[*dev.Buf](16, nil),
		called:  bag.NewBounded(16, func(_ string, b *dev.Buf) { b.Free() }),
		handed:  handed,
	}
}

func (s *server) join(user string) error {
	b, err := dev.New(1)
	if err != nil {
		return err
	}
	s.users.Put(user, b)
	if b, err = dev.New(1); err != nil {
		return err
	}
	s.members.Put(user, b)
	if b, err = dev.New(1); err != nil {
		return err
	}
	s.handed.Put(user, b)
	return nil
}

func (s *server) leave(user string) {
	s.users.Delete(user) // want `^device buffer is dropped from s.users by Delete without being freed: call Free on it first \(GM202\)$`
}

func (s *server) leaveIf(user string) {
	if _, ok := s.users.Get(user); ok {
		s.users.Delete(user) // want `GM202`
	}
}

func (s *server) end(user string) {
	if b, ok := s.members.Get(user); ok {
		b.Free()
		s.members.Delete(user)
	}
}

// It is not this package's.
func (s *server) hand(user string) { s.handed.Delete(user) }

func (s *server) close() {
	s.users.Each(func(_ string, b *dev.Buf) { b.Free() })
	s.members.Each(func(_ string, b *dev.Buf) { b.Free() })
}

func (s *server) get(key string) (*dev.Buf, error) {
	if b, ok := s.recent.Get(key); ok {
		return b, nil
	}
	b, err := dev.New(1)
	if err != nil {
		return nil, err
	}
	s.recent.Add(key, b) // want `^device buffer in s.recent is pushed out by Add once there is no room, without being freed: give it a func that does it \(GM202\)$`
	return b, nil
}

func (s *server) getCalled(key string) (*dev.Buf, error) {
	if b, ok := s.called.Get(key); ok {
		return b, nil
	}
	b, err := dev.New(1)
	if err != nil {
		return nil, err
	}
	s.called.Add(key, b)
	return b, nil
}

func (s *server) suppressed(user string) {
	s.users.Delete(user) //nolint:gpumemlint // the process ends
}
