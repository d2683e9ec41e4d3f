// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package nn is a signature-only stand-in for the layers of the libtorch
// binding of the same import path.
package nn

import (
	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

type VarStore struct{ device gotch.Device }

func NewVarStore(device gotch.Device) *VarStore { return nil }
func (vs *VarStore) Root() *Path                { return nil }
func (vs *VarStore) Destroy()                   {}

type Path struct{ path []string }

func (p *Path) Get(name string) (*ts.Tensor, error) { return nil, nil }

type Optimizer struct{ lr float64 }

func (opt *Optimizer) BackwardStep(loss *ts.Tensor) error { return nil }
func (opt *Optimizer) ZeroGrad() error                    { return nil }
func (opt *Optimizer) Step() error                        { return nil }
