// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"sync"

	"bugs/lib/gst"
)

type t25Session struct {
	pipe *gst.Pipeline
	jobs chan []byte
}

// loop owns the pipeline as long as it runs.
func (s *t25Session) loop(done func()) {
	defer done()
	defer s.pipe.Unref()
	for job := range s.jobs {
		if len(job) == 0 {
			return
		}
		if err := s.pipe.SetState(len(job)); err != nil {
			return
		}
	}
}

type t25Balancer struct {
	mu       sync.Mutex
	sessions map[string]*t25Session
}

func (b *t25Balancer) create(key, desc string) (*t25Session, error) {
	pipe, err := gst.NewPipelineFromString(desc)
	if err != nil {
		return nil, err
	}
	s := &t25Session{pipe: pipe, jobs: make(chan []byte, 1)}
	b.mu.Lock()
	b.sessions[key] = s
	b.mu.Unlock()
	go s.loop(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.sessions, key)
	})
	return s, nil
}
