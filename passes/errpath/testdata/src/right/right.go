// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package right

import (
	"errors"
	"log"

	"example.com/dev"
)

func second(n int) error {
	a, err := dev.New(n)
	if err != nil {
		return err // nothing is held yet
	}
	defer a.Free()
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	b.Free()
	return nil
}

type pair struct{ a, b *dev.Buf }

func (p *pair) Close() {
	p.a.Free()
	p.b.Free()
}

// A deferred function looks at the named result.
func newPair(n int) (p *pair, err error) {
	a, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			a.Free()
		}
	}()
	b, err := dev.New(n)
	if err != nil {
		return nil, err
	}
	return &pair{a, b}, nil
}

func use(fail bool) error {
	p, err := newPair(1)
	if err != nil {
		return err
	}
	defer p.Close()
	if fail {
		return errors.New("asked to fail")
	}
	return nil
}

// The process ends: nothing is lost.
func must(n int) *dev.Buf {
	a, err := dev.New(n)
	if err != nil {
		log.Fatal(err)
	}
	if err := a.Fill(0); err != nil {
		log.Fatal(err)
	}
	return a
}
