// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/whisper"

// Destroy works on nil, so the defer may stand before the check.
func t37Live(pcm []float32) error {
	sd, err := whisper.NewDetector()
	defer sd.Destroy()
	if err != nil {
		return err
	}
	return step(len(pcm))
}

// The deferred closure may run with nothing there.
func t37Track(model string, pcm []float32) (text string, err error) {
	tr, err := whisper.New(model)
	defer func() {
		if tr != nil {
			tr.Destroy()
		}
	}()
	if err != nil {
		return "", err
	}
	return tr.Transcribe(pcm)
}
