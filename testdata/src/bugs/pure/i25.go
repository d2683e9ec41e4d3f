// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/whisper"

type i25ModelBug struct {
	tr   *whisper.Transcriber
	path string
}

// The binding has no destructor at all.
func i25NewBug(path string) (*i25ModelBug, error) {
	tr, err := whisper.New(path) // want GM102
	if err != nil {
		return nil, err
	}
	return &i25ModelBug{tr: tr, path: path}, nil
}

func (m *i25ModelBug) Predict(pcm []float32) (string, error) { return m.tr.Transcribe(pcm) }

type i25ModelFixed struct {
	tr   *whisper.Transcriber
	path string
}

func i25NewFixed(path string) (*i25ModelFixed, error) {
	tr, err := whisper.New(path)
	if err != nil {
		return nil, err
	}
	return &i25ModelFixed{tr: tr, path: path}, nil
}

func (m *i25ModelFixed) Predict(pcm []float32) (string, error) { return m.tr.Transcribe(pcm) }

func (m *i25ModelFixed) Free() { m.tr.Destroy() }
