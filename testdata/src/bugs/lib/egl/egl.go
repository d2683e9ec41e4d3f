// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package egl stands for a window system and the GPU display on top of it.
package egl

import "errors"

// XDisplay is a connection to the window system.
//
//gpumem:class eglt.connection noun="display connection" verb=closed mem=handle
//gpumem:resource eglt.connection release=Close owned
type XDisplay struct{ p uintptr }

func OpenX() (*XDisplay, error) { return nil, errors.New("no display") }

func (d *XDisplay) Close() {}

// Display is the GPU's side. It refers to the connection.
type Display struct{ p uintptr }

//gpumem:keep d of=result0
func GetPlatformDisplay(d *XDisplay) *Display { return nil }

//gpumem:use
func (d *Display) Initialize() error { return nil }
