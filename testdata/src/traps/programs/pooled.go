// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	ort "github.com/yalue/onnxruntime_go"
)

// Pool hands out tensors of one shape and takes them back.
type Pool struct {
	shape ort.Shape
	free  chan *ort.Tensor[float32]
	made  atomic.Int64
}

// NewPool makes all its tensors at once.
func NewPool(shape ort.Shape, n int) (*Pool, error) {
	p := &Pool{shape: shape, free: make(chan *ort.Tensor[float32], n)}
	for i := 0; i < n; i++ {
		t, err := ort.NewEmptyTensor[float32](shape)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.made.Add(1)
		p.free <- t
	}
	return p, nil
}

// Get waits for a tensor.
func (p *Pool) Get(ctx context.Context) (*ort.Tensor[float32], error) {
	select {
	case t := <-p.free:
		return t, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Put gives a tensor back; one too many is destroyed.
func (p *Pool) Put(t *ort.Tensor[float32]) {
	select {
	case p.free <- t:
	default:
		t.Destroy()
	}
}

// Close destroys what is in the pool.
func (p *Pool) Close() {
	close(p.free)
	for t := range p.free {
		t.Destroy()
	}
}

// Lend runs fn with a pooled tensor.
func (p *Pool) Lend(ctx context.Context, fn func(*ort.Tensor[float32]) error) error {
	t, err := p.Get(ctx)
	if err != nil {
		return err
	}
	defer p.Put(t)
	return fn(t)
}

// Models keeps the most recently used sessions open.
type Models struct {
	mu    sync.Mutex
	max   int
	order *list.List
	open  map[string]*list.Element
}

type loaded struct {
	path    string
	session *ort.DynamicAdvancedSession
	users   int
}

// NewModels keeps at most max sessions.
func NewModels(max int) *Models {
	return &Models{max: max, order: list.New(), open: map[string]*list.Element{}}
}

// Use lends a session, and opens it if need be.
func (m *Models) Use(path string, fn func(*ort.DynamicAdvancedSession) error) error {
	l, err := m.acquire(path)
	if err != nil {
		return err
	}
	defer m.release(l)
	return fn(l.session)
}

func (m *Models) acquire(path string) (*loaded, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.open[path]; ok {
		m.order.MoveToFront(e)
		l := e.Value.(*loaded)
		l.users++
		return l, nil
	}
	s, err := ort.NewDynamicAdvancedSession(path, nil, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	l := &loaded{path: path, session: s, users: 1}
	m.open[path] = m.order.PushFront(l)
	m.evict()
	return l, nil
}

func (m *Models) release(l *loaded) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l.users--
}

// evict closes the oldest that nobody uses.
func (m *Models) evict() {
	for e := m.order.Back(); e != nil && m.order.Len() > m.max; {
		prev := e.Prev()
		if l := e.Value.(*loaded); l.users == 0 {
			l.session.Destroy()
			m.order.Remove(e)
			delete(m.open, l.path)
		}
		e = prev
	}
}

// Close closes all of them.
func (m *Models) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for e := m.order.Front(); e != nil; e = e.Next() {
		errs = append(errs, e.Value.(*loaded).session.Destroy())
	}
	m.order.Init()
	clear(m.open)
	return errors.Join(errs...)
}

// OpenRetry tries several times with a growing pause.
func OpenRetry(ctx context.Context, path string) (s *ort.DynamicAdvancedSession, err error) {
	pause := 10 * time.Millisecond
	for range 5 {
		s, err = ort.NewDynamicAdvancedSession(path, nil, nil, nil)
		if err == nil {
			return s, nil
		}
		select {
		case <-time.After(pause):
			pause *= 2
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		}
	}
	return nil, err
}

// Pipeline moves tensors through stages that own what they hold.
func Pipeline(ctx context.Context, path string, inputs [][]float32) (sums []float32, err error) {
	s, err := OpenRetry(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := s.Destroy(); cerr != nil && err == nil {
			err = cerr
		}
	}()
	type item struct {
		in  *ort.Tensor[float32]
		err error
	}
	items := make(chan item)
	go func() {
		defer close(items)
		for _, data := range inputs {
			in, err := ort.NewTensor(ort.NewShape(int64(len(data))), data)
			select {
			case items <- item{in, err}:
			case <-ctx.Done():
				if err == nil {
					in.Destroy()
				}
				return
			}
		}
	}()
	for it := range items {
		if it.err != nil {
			err = errors.Join(err, it.err)
			continue
		}
		out, oerr := ort.NewEmptyTensor[float32](ort.NewShape(1))
		if oerr != nil {
			it.in.Destroy()
			err = errors.Join(err, oerr)
			continue
		}
		if rerr := s.Run([]ort.Value{it.in}, []ort.Value{out}); rerr != nil {
			err = errors.Join(err, rerr)
		} else {
			sums = append(sums, out.GetData()[0])
		}
		out.Destroy()
		it.in.Destroy()
	}
	return sums, err
}

// Option changes a Runner while it is built.
type Option func(*OptionRunner) error

// OptionRunner is built from options, any of which may fail.
type OptionRunner struct {
	session *ort.DynamicAdvancedSession
	run     *ort.RunOptions
	closers []func() error
}

// WithRunOptions adds run options.
func WithRunOptions() Option {
	return func(r *OptionRunner) error {
		o, err := ort.NewRunOptions()
		if err != nil {
			return err
		}
		r.run = o
		r.closers = append(r.closers, o.Destroy)
		return nil
	}
}

// NewOptionRunner closes what the options made if one of them fails.
func NewOptionRunner(path string, opts ...Option) (*OptionRunner, error) {
	s, err := ort.NewDynamicAdvancedSession(path, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	r := &OptionRunner{session: s}
	r.closers = append(r.closers, s.Destroy)
	for _, o := range opts {
		if err := o(r); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	return r, nil
}

// Close runs the closers backwards.
func (r *OptionRunner) Close() error {
	var errs []error
	for i := len(r.closers) - 1; i >= 0; i-- {
		errs = append(errs, r.closers[i]())
	}
	r.closers = nil
	return errors.Join(errs...)
}
