// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/whisper"

// Destroy is only reached on the way through.
func u45TranscribeBug(model string, tracks [][]float32) ([]string, error) {
	tr, err := whisper.New(model)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, pcm := range tracks {
		line, err := tr.Transcribe(pcm)
		if err != nil {
			return nil, err // want GM101
		}
		lines = append(lines, line)
	}
	return lines, tr.Destroy()
}

func u45TranscribeFixed(model string, tracks [][]float32) ([]string, error) {
	tr, err := whisper.New(model)
	if err != nil {
		return nil, err
	}
	defer tr.Destroy()
	var lines []string
	for _, pcm := range tracks {
		line, err := tr.Transcribe(pcm)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}
