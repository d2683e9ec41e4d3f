// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/genai"

// b81Prepare gives the default embedder and the function that closes it.
func b81Prepare() (*genai.Embedder, func() error, error) {
	e, err := genai.NewEmbedder()
	if err != nil {
		return nil, nil, err
	}
	return e, e.Close, nil
}

// The closer is thrown away; the embedder leaks when the request fails.
func b81CreateBug(n int) (*genai.Embedder, error) {
	e, _, err := b81Prepare()
	if err != nil {
		return nil, err
	}
	if err := step(n); err != nil {
		return nil, err // want GM101
	}
	return e, nil
}

func b81CreateFixed(n int) (_ *genai.Embedder, err error) {
	e, closeDefault, err := b81Prepare()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			closeDefault()
		}
	}()
	if err := step(n); err != nil {
		return nil, err
	}
	return e, nil
}
