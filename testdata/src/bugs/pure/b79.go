// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/tf"

type b79ModelBug struct {
	session *tf.Session
	name    string
}

// A model owns a session that nobody can close.
func b79LoadBug(path string) *b79ModelBug {
	s, err := tf.NewSession(path) // want GM102
	if err != nil {
		panic(err)
	}
	return &b79ModelBug{session: s, name: path}
}

func (m *b79ModelBug) Exec() error { return m.session.Run() }

type b79ModelFixed struct {
	session *tf.Session
	name    string
}

func b79LoadFixed(path string) *b79ModelFixed {
	s, err := tf.NewSession(path)
	if err != nil {
		panic(err)
	}
	return &b79ModelFixed{session: s, name: path}
}

func (m *b79ModelFixed) Exec() error  { return m.session.Run() }
func (m *b79ModelFixed) Close() error { return m.session.Close() }
