// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gst stands for a media framework whose objects are counted.
package gst

import "errors"

// Pipeline is a running media graph.
//
//gpumem:class gstt.object noun="gst object" verb=unreferenced mem=device
//gpumem:resource gstt.object release=Unref owned
type Pipeline struct{ p uintptr }

func NewPipelineFromString(s string) (*Pipeline, error) { return nil, errors.New("no gst") }

func (p *Pipeline) Unref()                   {}
func (p *Pipeline) SetState(state int) error { return nil }

// Sample is one frame.
//
//gpumem:resource gstt.object release=Unref owned
type Sample struct{ p uintptr }

func (s *Sample) Unref()             {}
func (s *Sample) GetBuffer() *Buffer { return nil }

// Buffer is the memory of a frame.
//
//gpumem:resource gstt.object release=Unref owned
type Buffer struct{ p uintptr }

func (b *Buffer) Unref()        {}
func (b *Buffer) Bytes() []byte { return nil }

// AppSink hands frames to the program.
type AppSink struct{ p uintptr }

func (s *AppSink) PullSample() *Sample { return nil }

// Graph is a pipeline whose binding finalizes it, whoever has unreferenced it.
//
//gpumem:class gstt.finalized noun="gst graph" verb=unreferenced mem=device again=crash nil=ok backstop=late
//gpumem:resource gstt.finalized release=Unref owned
type Graph struct{ p uintptr }

func (g *Graph) Unref()                   {}
func (g *Graph) SetState(state int) error { return nil }

// Message is something that happened in a pipeline.
type Message struct{ p uintptr }

// TagList says what is played. The binding unreferences it in a finalizer.
//
//gpumem:class gstt.tags noun="tag list" verb=unreferenced mem=host again=crash nil=ok backstop=gc
//gpumem:resource gstt.tags release=Unref owned
type TagList struct{ p uintptr }

func (m *Message) ParseTags() *TagList { return nil }
func (l *TagList) Unref()              {}
func (l *TagList) String() string      { return "" }
