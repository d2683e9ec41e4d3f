// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package wraps

import "example.com/wrap"

func wrong() error {
	m, err := wrap.Load()
	if err != nil {
		return err
	}
	s, err := m.NewSession(1)
	if err != nil {
		m.Close()
		return err
	}
	defer s.Close()
	defer m.Close() // want `deferred calls run last to first: Model is closed while the Session holding device buffer from Model.NewSession \(line 13\), which needs it, is still there`
	return s.Run()
}

func right() error {
	m, err := wrap.Load()
	if err != nil {
		return err
	}
	defer m.Close()
	s, err := m.NewSession(1)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Run()
}

func usedAfter() error {
	m, err := wrap.Load()
	if err != nil {
		return err
	}
	s, err := m.NewSession(1)
	m.Close() // want `Model is closed before Session.Run \(line 47\), which needs it`
	if err != nil {
		return err
	}
	err = s.Run()
	s.Close()
	return err
}

type app struct {
	m *wrap.Model
	s *wrap.Session
}

func open() (*app, error) {
	a := &app{}
	var err error
	if a.m, err = wrap.Load(); err != nil {
		return nil, err
	}
	if a.s, err = a.m.NewSession(1); err != nil {
		a.m.Close()
		return nil, err
	}
	return a, nil
}

func (a *app) Close() {
	a.s.Close()
	a.m.Close()
}

type wrongApp struct {
	m *wrap.Model
	s []*wrap.Session
}

func (a *wrongApp) Close() {
	a.m.Close() // want `Model is closed before the Session \(line 83\), which needs it: release that first`
	for _, s := range a.s {
		s.Close()
	}
}
