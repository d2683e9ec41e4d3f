// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package wrong keeps too long, in containers of other packages.
package wrong

import (
	"net/http"
	"time"

	"across/bag"
	"across/frames"
	"across/wrap"
	"gocv.io/x/gocv"
)

type server struct {
	byPath   *bag.Map[string, gocv.Mat]
	seen     bag.List[gocv.Mat]
	shards   *bag.Sharded[gocv.Mat]
	bounded  *bag.LRU[string, gocv.Mat]
	safe     *wrap.Safe[string, *gocv.Mat]
	sessions *wrap.Sessions[gocv.Mat]
	users    *bag.Map[string, gocv.Mat]
	book     *frames.Book
	jobs     struct{ done *bag.Map[int, gocv.Mat] }
	old      *bag.Expiring[gocv.Mat]
}

func newServer() *server {
	s := &server{
		byPath:   bag.NewMap[string, gocv.Mat](),
		shards:   bag.NewSharded[gocv.Mat](),
		bounded:  bag.NewLRU[string, gocv.Mat](16),
		safe:     wrap.New[string, *gocv.Mat](16),
		sessions: wrap.NewSessions[gocv.Mat](),
		users:    bag.NewMap[string, gocv.Mat](),
		book:     frames.NewBook(),
		old:      bag.NewExpiring[gocv.Mat](time.Minute),
	}
	s.jobs.done = bag.NewMap[int, gocv.Mat]()
	return s
}

// A generic map of another package, filled with each request.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m := gocv.NewMat()
	s.byPath.Put(r.URL.Path, m) // want GM203
}

// The field is the container itself, and has its elements in a struct.
func (s *server) note() {
	m := gocv.NewMat()
	s.seen.Add(m) // want GM201|GM203
}

// Which shard it is makes no difference.
func (s *server) Infer(id string) {
	m := gocv.NewMat()
	s.shards.Set(id, m) // want GM203
}

// A bounded cache without a func for what it evicts.
func (s *server) frame(path string) gocv.Mat {
	if m, ok := s.bounded.Get(path); ok {
		return m
	}
	m := gocv.NewMat()
	s.bounded.Add(path, m) // want GM202
	return m
}

// The same behind a wrapper of a third package.
func (s *server) safeFrame(path string) *gocv.Mat {
	if m, ok := s.safe.Load(path); ok {
		return m
	}
	m := gocv.NewMat()
	s.safe.Store(path, &m) // want GM202
	return &m
}

// What expires is lost.
func (s *server) keep(path string) {
	m := gocv.NewMat()
	s.old.Put(path, m) // want GM202
}

func (s *server) login(user string) {
	m := gocv.NewMat()
	s.sessions.Login(user, m)
}

func (s *server) logout(user string) {
	s.sessions.Logout(user) // want GM202
}

func (s *server) join(user string) {
	m := gocv.NewMat()
	s.users.Put(user, m)
}

func (s *server) leave(user string) {
	if _, ok := s.users.Get(user); !ok {
		return
	}
	s.users.Delete(user) // want GM202
}

func (s *server) leaveAll() {
	s.users.Reset() // want GM202
}

func (s *server) close() {
	s.users.Each(func(_ string, m gocv.Mat) { m.Close() })
}

// The owner's Close comes too late.
func (s *server) Predict(user string) {
	m := gocv.NewMat()
	s.book.Put(user, m) // want GM203
}

func (s *server) run(jobs <-chan int) {
	for id := range jobs {
		m := gocv.NewMat()
		s.jobs.done.Put(id, m) // want GM203
	}
}

// A package variable, with its object from the beginning.
var results = bag.NewMap[int, gocv.Mat]()

func Eval(step int) {
	m := gocv.NewMat()
	results.Put(step, m) // want GM203
}

// A captured variable lives as long as the func.
func Counter() func(id int) {
	all := bag.NewMap[int, gocv.Mat]()
	return func(id int) {
		m := gocv.NewMat()
		all.Put(id, m) // want GM201|GM203
	}
}
