// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/dcgm"

type b69PluginBug struct {
	healthCancel func()
	port         int
}

// The health watch is started before the server, and not stopped when the
// server cannot start.
func (p *b69PluginBug) start() error {
	cancel := dcgm.Health()
	if err := step(p.port); err != nil {
		return err // want GM101
	}
	p.healthCancel = cancel
	return nil
}

func (p *b69PluginBug) stop() { p.healthCancel() }

type b69PluginFixed struct {
	healthCancel func()
	port         int
}

func (p *b69PluginFixed) start() error {
	cancel := dcgm.Health()
	if err := step(p.port); err != nil {
		cancel()
		return err
	}
	p.healthCancel = cancel
	return nil
}

func (p *b69PluginFixed) stop() { p.healthCancel() }
