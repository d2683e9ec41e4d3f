// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"sync"
	"weak"

	"example.com/dev"
)

// Bounded by a length check that makes room first.
type ring struct{ kept []*dev.Buf }

func (r *ring) add(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	if len(r.kept) >= 8 {
		r.kept[0].Free()
		r.kept = r.kept[1:]
	}
	r.kept = append(r.kept, b)
	return nil
}

func (r *ring) Close() {
	for _, b := range r.kept {
		b.Free()
	}
}

var few []*dev.Buf

// Full is full.
func addFew(b *dev.Buf) bool {
	if len(few) == cap(few) {
		return false
	}
	few = append(few, b)
	return true
}

type kind int

const (
	small kind = iota
	large
)

var byKind = map[kind]*dev.Buf{}

// One for each constant of an enumeration.
func scratch(k kind, n int) (*dev.Buf, error) {
	if b, ok := byKind[k]; ok {
		return b, nil
	}
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	byKind[k] = b
	return b, nil
}

var (
	once   sync.Once
	shared []*dev.Buf
)

// Filled once.
func setup(n int) {
	once.Do(func() {
		b, err := dev.New(n)
		if err == nil {
			shared = append(shared, b)
		}
	})
}

var models = map[string]*dev.Buf{}

// One for each model that there is.
func model(name string, n int) (*dev.Buf, error) {
	if b, ok := models[name]; ok {
		return b, nil
	}
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	models[name] = b
	return b, nil
}

var watched = map[string]weak.Pointer[dev.Buf]{}

// A weak pointer keeps nothing.
func watch(id string, b *dev.Buf) { watched[id] = weak.Make(b) }

type network struct{ layers []*dev.Buf }

// An ordinary owner: filled while it is built, emptied by its Close.
func newNetwork(sizes []int) (*network, error) {
	n := &network{}
	for _, size := range sizes {
		b, err := dev.New(size)
		if err != nil {
			n.Close()
			return nil, err
		}
		n.layers = append(n.layers, b)
	}
	return n, nil
}

func (n *network) addLayer(size int) error {
	b, err := dev.New(size)
	if err != nil {
		return err
	}
	n.layers = append(n.layers, b)
	return nil
}

func (n *network) Close() {
	for _, b := range n.layers {
		b.Free()
	}
	n.layers = nil
}

var borrowed []*dev.Buf

// The container lists what its owner releases.
func use(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	defer b.Free()
	borrowed = append(borrowed, b)
	return b.Fill(0)
}

var jobs = make(chan *dev.Buf, 16)

func submit(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	jobs <- b
	return nil
}

func work() {
	for b := range jobs {
		b.Fill(1)
		b.Free()
	}
}

// A variable of the function that uses it.
func gather(n int) ([]*dev.Buf, error) {
	var out []*dev.Buf
	add := func() error {
		b, err := dev.New(n)
		if err != nil {
			return err
		}
		out = append(out, b)
		return nil
	}
	if err := add(); err != nil {
		return nil, err
	}
	return out, nil
}

var totals []float32

// Host memory is the collector's.
func total(n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	defer b.Free()
	totals = append(totals, float32(n))
	return b.Fill(1)
}

var pending = map[string]*dev.Buf{}

func begin(id string, n int) error {
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	pending[id] = b
	return nil
}

func end(id string) {
	if b, ok := pending[id]; ok {
		b.Free()
		delete(pending, id)
	}
}
