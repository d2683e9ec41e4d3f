// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"iter"
	"log"

	"example.com/dev"
)

func train(m *dev.Model, batches [][]float32) error {
	for _, b := range batches {
		if err := m.Run(b); err != nil {
			return err
		}
		dev.EmptyCache() // want `dev.EmptyCache in a loop: each step returns its cache to the driver and asks for it again; call it after the loop \(GM503\)`
	}
	return nil
}

func steps(n int, step func()) {
	for range n {
		step()
		dev.EmptyCache() // want `dev.EmptyCache in a loop`
	}
}

func endless(m *dev.Model, jobs <-chan []float32) {
	for j := range jobs {
		if err := m.Run(j); err != nil {
			log.Print(err)
			continue
		}
		dev.EmptyCache() // want `dev.EmptyCache in a loop`
	}
}

func trimToNothing(m *dev.Model, batches [][]float32) {
	for i := 0; i < len(batches); i++ {
		m.Run(batches[i])
		if err := dev.Trim(0); err != nil { // want `dev.Trim in a loop`
			log.Print(err)
		}
	}
}

// A batch without data is skipped; all others end in the flush.
func skips(m *dev.Model, batches [][]float32, empty func([]float32) bool) {
	for _, b := range batches {
		if empty(b) {
			continue
		}
		m.Run(b)
		dev.EmptyCache() // want `dev.EmptyCache in a loop`
	}
}

func free() {
	log.Print("free")
	dev.EmptyCache()
}

func wrapped(m *dev.Model, batches [][]float32) {
	for _, b := range batches {
		m.Run(b)
		free() // want `free, which calls dev.EmptyCache, in a loop`
	}
}

func inScope(m *dev.Model, batches [][]float32) {
	for _, b := range batches {
		dev.Quiet(func() {
			m.Run(b)
			dev.EmptyCache() // want `dev.EmptyCache in a loop`
		})
	}
}

func inLiteral(m *dev.Model, batches [][]float32) {
	for _, b := range batches {
		func() {
			m.Run(b)
			dev.EmptyCache() // want `dev.EmptyCache in a loop`
		}()
	}
}

func nested(m *dev.Model, epochs int, batches [][]float32) {
	for range epochs {
		for _, b := range batches {
			m.Run(b)
			dev.EmptyCache() // want `dev.EmptyCache in a loop`
		}
	}
}

func overFunc(m *dev.Model, batches iter.Seq[[]float32]) {
	for b := range batches {
		m.Run(b)
		dev.EmptyCache() // want `dev.EmptyCache in a loop`
	}
}

type trainer struct{ m *dev.Model }

func (t *trainer) reset() { dev.EmptyCache() }

func (t *trainer) fit(batches [][]float32) {
	for _, b := range batches {
		t.m.Run(b)
		t.reset() // want `trainer.reset, which calls dev.EmptyCache, in a loop`
	}
}
