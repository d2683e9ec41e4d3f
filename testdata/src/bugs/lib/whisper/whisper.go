// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package whisper stands for a speech recogniser with its model in memory.
package whisper

// Transcriber holds a model.
//
//gpumem:class whispert.context noun=transcriber verb=destroyed mem=device
//gpumem:resource whispert.context release=Destroy owned
type Transcriber struct{ p uintptr }

func New(path string) (*Transcriber, error)                     { return nil, nil }
func (t *Transcriber) Destroy() error                           { return nil }
func (t *Transcriber) Transcribe(pcm []float32) (string, error) { return "", nil }

// Detector finds speech.
//
//gpumem:class whispert.detector noun=detector verb=destroyed mem=host
//gpumem:resource whispert.detector release=Destroy owned
type Detector struct{ p uintptr }

func NewDetector() (*Detector, error) { return nil, nil }
func (d *Detector) Destroy() error {
	if d == nil {
		return nil
	}
	return nil
}

// Stream is an online stream, made and deleted by functions.
//
//gpumem:class whispert.stream noun=stream verb=deleted mem=host
//gpumem:resource whispert.stream release=DeleteStream
type Stream struct{ p uintptr }

//gpumem:acquire whispert.stream result0
//gpumem:success always
func NewStream(t *Transcriber) *Stream { return nil }

//gpumem:release whispert.stream s
func DeleteStream(s *Stream) {}

func (s *Stream) Accept(pcm []float32) {}
