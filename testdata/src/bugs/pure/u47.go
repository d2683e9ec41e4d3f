// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/whisper"

// A stream per file, all deleted at the end.
func u47RegisterBug(tr *whisper.Transcriber, files [][]float32) {
	for _, pcm := range files {
		s := whisper.NewStream(tr)
		defer whisper.DeleteStream(s) // want GM105
		s.Accept(pcm)
	}
}

func u47RegisterFixed(tr *whisper.Transcriber, files [][]float32) {
	for _, pcm := range files {
		s := whisper.NewStream(tr)
		s.Accept(pcm)
		whisper.DeleteStream(s)
	}
}
