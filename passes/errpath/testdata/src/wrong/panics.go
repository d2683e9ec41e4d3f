// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	"errors"
	"fmt"

	"example.com/dev"
)

// The program goes on behind a panic, without the buffer.
func recovered(n int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("fill: %v", r)
		}
	}()
	b, err := dev.New(n)
	if err != nil {
		return err
	}
	err = b.Fill(1) // want `device buffer from dev.New \(line 20\) is not freed if Buf.Fill panics, and this function recovers and goes on: defer the release \(GM101\)`
	b.Free()
	return err
}

var errPanicked = errors.New("panicked")

func recoveredTwice(n int) (sum int, err error) {
	defer func() {
		if recover() != nil {
			sum, err = 0, errPanicked
		}
	}()
	b, err := dev.New(n)
	if err != nil {
		return 0, err
	}
	for i := range n {
		if err = b.Fill(byte(i)); err != nil { // want `is not freed if Buf.Fill panics`
			break
		}
		sum += i
	}
	b.Free()
	return sum, err
}
