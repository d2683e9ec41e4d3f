// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"errors"

	"example.com/dev"
)

func second(n int) error {
	a, err := dev.New(n)
	if err != nil {
		return err
	}
	b, err := dev.New(n)
	if err != nil {
		return err // want `device buffer from dev.New \(line 13\) is not freed when this returns: dev.New failed \(GM101\)`
	}
	b.Free()
	a.Free()
	return nil
}

type pair struct{ a, b *dev.Buf }

func (p *pair) Close() {
	p.a.Free()
	p.b.Free()
}

// The half-built value is lost with the buffer in it.
func newPair(n int) (*pair, error) {
	p := &pair{}
	var err error
	if p.a, err = dev.New(n); err != nil {
		return nil, err
	}
	if p.b, err = dev.New(n); err != nil {
		return nil, err // want `GM101`
	}
	return p, nil
}

func use(fail bool) error {
	p, err := newPair(1)
	if err != nil {
		return err
	}
	if fail {
		return errors.New("asked to fail") // want `pair holding device buffer from newPair \(line 47\) is not closed when this returns \(GM101\)`
	}
	p.Close()
	return nil
}
