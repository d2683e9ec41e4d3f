// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package right keeps things in containers of other packages, and lets go.
package right

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
	seen     bag.List[float32]
	shards   *bag.Sharded[gocv.Mat]
	bounded  *bag.LRU[string, gocv.Mat]
	later    *bag.LRU[string, gocv.Mat]
	safe     *wrap.Safe[string, *gocv.Mat]
	sessions *wrap.Sessions[gocv.Mat]
	users    *bag.Map[string, gocv.Mat]
	book     *frames.Book
	old      *bag.Expiring[[]byte]
	few      *bag.Map[string, gocv.Mat]
	given    *bag.Map[string, gocv.Mat]
	shared   *bag.Map[string, gocv.Mat]
	round    *bag.Map[string, gocv.Mat]
	closers  *bag.Closers[*gocv.Mat]
	batch    bag.Batch[gocv.Mat]
	pages    bag.Pages[gocv.Mat]
	queue    bag.Queue[gocv.Mat]
	lent     *bag.Map[string, *gocv.Mat]
	worker   *bag.Worker[*gocv.Mat]
	out      *bag.Map[string, gocv.Mat]
}

func newServer(given *bag.Map[string, gocv.Mat]) *server {
	s := &server{
		byPath:   bag.NewMap[string, gocv.Mat](),
		shards:   bag.NewSharded[gocv.Mat](),
		bounded:  bag.NewLRUWithEvict(16, func(_ string, m gocv.Mat) { m.Close() }),
		later:    bag.NewLRU[string, gocv.Mat](16),
		safe:     wrap.NewWithEvict(16, func(_ string, m *gocv.Mat) { m.Close() }),
		sessions: wrap.NewSessions[gocv.Mat](),
		users:    bag.NewMap[string, gocv.Mat](),
		book:     frames.NewBook(),
		old:      bag.NewExpiring[[]byte](time.Minute),
		few:      bag.NewMap[string, gocv.Mat](),
		given:    given,
		shared:   bag.NewMap[string, gocv.Mat](),
		round:    bag.NewMap[string, gocv.Mat](),
		closers:  bag.NewClosers[*gocv.Mat](8),
		lent:     bag.NewMap[string, *gocv.Mat](),
		worker:   bag.NewWorker[*gocv.Mat](16),
		out:      bag.NewMap[string, gocv.Mat](),
	}
	s.later.OnEvict(func(_ string, m gocv.Mat) { m.Close() })
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m := gocv.NewMat()
	s.byPath.Put(r.URL.Path, m)
}

func (s *server) done(path string) {
	if m, ok := s.byPath.Take(path); ok {
		m.Close()
	}
}

// A number of its own, in host memory.
func (s *server) note() {
	m := gocv.NewMat()
	defer m.Close()
	s.seen.Add(m.GetFloatAt(0, 0))
	s.old.Put("last", m.ToBytes())
}

func (s *server) Infer(id string) {
	m := gocv.NewMat()
	s.shards.Set(id, m)
	defer m.Close()
	s.shards.Remove(id)
}

func (s *server) frame(path string) gocv.Mat {
	if m, ok := s.bounded.Get(path); ok {
		return m
	}
	m := gocv.NewMat()
	s.bounded.Add(path, m)
	return m
}

func (s *server) laterFrame(path string) gocv.Mat {
	if m, ok := s.later.Get(path); ok {
		return m
	}
	m := gocv.NewMat()
	s.later.Add(path, m)
	return m
}

func (s *server) safeFrame(path string) *gocv.Mat {
	if m, ok := s.safe.Load(path); ok {
		return m
	}
	m := gocv.NewMat()
	s.safe.Store(path, &m)
	return &m
}

func (s *server) login(user string) {
	m := gocv.NewMat()
	s.sessions.Login(user, m)
}

func (s *server) logout(user string) {
	if m, ok := s.sessions.Of(user); ok {
		m.Close()
		s.sessions.Logout(user)
	}
}

func (s *server) join(user string) {
	m := gocv.NewMat()
	s.users.Put(user, m)
}

// The helper closes.
func (s *server) leave(user string) {
	s.closeUser(user)
	s.users.Delete(user)
}

func (s *server) closeUser(user string) {
	if m, ok := s.users.Get(user); ok {
		m.Close()
	}
}

func (s *server) leaveAll() {
	for _, m := range s.users.All() {
		m.Close()
	}
	s.users.Reset()
}

func (s *server) Predict(user string) {
	m := gocv.NewMat()
	s.book.Put(user, m)
}

func (s *server) end(user string) { s.book.Remove(user) }

// A limit at the place of insertion.
func (s *server) Detect(id string) {
	if s.few.Len() >= 8 {
		return
	}
	m := gocv.NewMat()
	s.few.Put(id, m)
}

// Who made it may empty it.
func (s *server) Process(id string) {
	m := gocv.NewMat()
	s.given.Put(id, m)
}

// And who gets it.
func (s *server) Eval(id string) {
	m := gocv.NewMat()
	s.shared.Put(id, m)
}

func (s *server) Shared() *bag.Map[string, gocv.Mat] { return s.shared }

// A new one every time.
func (s *server) Step(id string) {
	m := gocv.NewMat()
	s.round.Put(id, m)
}

func (s *server) nextRound() {
	s.round.Each(func(_ string, m gocv.Mat) { m.Close() })
	s.round = bag.NewMap[string, gocv.Mat]()
}

// It closes what it drops.
func (s *server) Render(id string) {
	m := gocv.NewMat()
	s.closers.Put(id, &m)
}

func (s *server) hide(id string) { s.closers.Drop(id) }

func (s *server) Collect(n int) {
	for i := 0; i < n; i++ {
		s.batch.Add(gocv.NewMat())
	}
	s.batch.Do(func(ms []gocv.Mat) {
		for i := range ms {
			ms[i].Close()
		}
	})
}

func (s *server) Draw() {
	m := gocv.NewMat()
	s.pages.Add(m)
}

func (s *server) flip() { s.pages.Flip(func(m gocv.Mat) { m.Close() }) }

func (s *server) Receive() {
	m := gocv.NewMat()
	s.queue.Push(m)
}

func (s *server) work() {
	for {
		m, ok := s.queue.Pop()
		if !ok {
			return
		}
		m.Close()
	}
}

// Whoever puts it in takes it out of use.
func (s *server) Transform(id string) {
	m := gocv.NewMat()
	defer m.Close()
	s.lent.Put(id, &m)
	defer s.lent.Delete(id)
}

// A goroutine of theirs closes it.
func (s *server) Classify(id string) {
	m := gocv.NewMat()
	s.worker.Send(&m)
}

func (s *server) lend(id string) {
	m := gocv.NewMat()
	s.out.Put(id, m)
}

func (s *server) checkout(id string) gocv.Mat {
	m, _ := s.out.Get(id)
	return m
}

func (s *server) detach(id string) { s.out.Delete(id) }

// Who takes it off the list has it in hand.
func (s *server) bring(id string) {
	m := s.checkout(id)
	s.detach(id)
	m.Close()
}

// Each request has one of its own, or two.
func perRequest(n int) {
	all := bag.NewMap[int, gocv.Mat]()
	for i := 0; i < n; i++ {
		all.Put(i, gocv.NewMat())
	}
	all.Each(func(_ int, m gocv.Mat) { m.Close() })
}

type pair struct{ a, b holder }

type holder struct{ m *bag.Map[string, gocv.Mat] }

type other struct{ same *bag.Map[string, gocv.Mat] }

// Two objects have the same container.
func newPair() (*holder, *other) {
	m := bag.NewMap[string, gocv.Mat]()
	return &holder{m: m}, &other{same: m}
}

func (h *holder) Encode(id string) { h.m.Put(id, gocv.NewMat()) }

func (o *other) clean(id string) {
	if m, ok := o.same.Take(id); ok {
		m.Close()
	}
}

// A variable of another package, which empties it.
func Forward() {
	m := gocv.NewMat()
	frames.Open = append(frames.Open, m)
}

// One that a third package may empty.
func Decode(id string) {
	m := gocv.NewMat()
	frames.Swept[id] = m
}

// Another one of theirs: somebody else may call Forget.
func Embed(user string) {
	m := gocv.NewMat()
	frames.Remember(user, m)
}
