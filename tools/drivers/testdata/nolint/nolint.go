// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package nolint loses blocks under directives of every form: each driver
// that knows //nolint must draw its scope in the same way.
package nolint

import (
	"errors"

	"corpus.test/nolint/pool"
)

var errEmpty = errors.New("empty")

func line() int {
	b := pool.Get() //nolint:gpumemlint // on the line
	return b.Len()
}

func statement(n int) int {
	//nolint:gpumemlint // above the statement
	for b := pool.Get(); b.Len() < n; n-- {
	}
	return n
}

//nolint:gpumemlint // above the function
func function() (int, error) {
	b := pool.Get()
	if b.Len() == 0 {
		return 0, errEmpty
	}
	return b.Len(), nil
}

// A directive at the end of a doc comment holds for the function.
//
//nolint:gpumemlint // as gofmt places it
func documented() int {
	b := pool.Get()
	return b.Len()
}

func list() int {
	b := pool.Get() //nolint:errcheck,gpumemlint // with another linter
	return b.Len()
}

func plain() int {
	b := pool.Get() //nolint // every linter
	return b.Len()
}

func all() int {
	b := pool.Get() //nolint:all // every linter, spelled out
	return b.Len()
}

func others() int {
	b := pool.Get() //nolint:errcheck // another linter: this one speaks
	return b.Len()
}

func rule() int {
	b := pool.Get() //nolint:GM102 // by the name of the rule
	return b.Len()
}

func otherRule() int {
	b := pool.Get() //nolint:GM101 // by the name of another rule
	return b.Len()
}

func elsewhere() int {
	//nolint:gpumemlint // a blank line ends its reach

	b := pool.Get()
	return b.Len()
}

func spaced() int {
	b := pool.Get() // nolint:gpumemlint // with a space, which is frowned on
	return b.Len()
}

func pass() int {
	b := pool.Get() //nolint:leak // by the name of the analyzer, which nogo knows
	return b.Len()
}
