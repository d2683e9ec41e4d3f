// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/gst"

type b123StreamBug struct{ pipe *gst.Pipeline }

// Stop halts the pipeline and never drops the reference.
func b123StartBug(desc string) (*b123StreamBug, error) {
	p, err := gst.NewPipelineFromString(desc) // want GM102
	if err != nil {
		return nil, err
	}
	return &b123StreamBug{pipe: p}, nil
}

func (s *b123StreamBug) Stop() error { return s.pipe.SetState(0) }

type b123StreamFixed struct{ pipe *gst.Pipeline }

func b123StartFixed(desc string) (*b123StreamFixed, error) {
	p, err := gst.NewPipelineFromString(desc)
	if err != nil {
		return nil, err
	}
	return &b123StreamFixed{pipe: p}, nil
}

func (s *b123StreamFixed) Stop() error {
	err := s.pipe.SetState(0)
	s.pipe.Unref()
	return err
}
