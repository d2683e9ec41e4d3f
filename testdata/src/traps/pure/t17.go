// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import ort "github.com/yalue/onnxruntime_go"

type t17Model struct {
	session *ort.DynamicAdvancedSession
	options *ort.SessionOptions
	Destroy func() error
}

// The model has no Close method: its destructor is a function in a field.
func t17Load(path string) (*t17Model, error) {
	opts, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	s, err := ort.NewDynamicAdvancedSession(path, nil, nil, opts)
	if err != nil {
		opts.Destroy()
		return nil, err
	}
	m := &t17Model{session: s, options: opts}
	m.Destroy = func() error {
		if err := m.session.Destroy(); err != nil {
			return err
		}
		return m.options.Destroy()
	}
	return m, nil
}

func t17Run(path string) error {
	m, err := t17Load(path)
	if err != nil {
		return err
	}
	err = m.session.Run(nil, nil)
	if derr := m.Destroy(); err == nil {
		err = derr
	}
	return err
}
