// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gorgonia is a signature-only stand-in for the graph library of the
// same import path.
package gorgonia

type ExprGraph struct{ name string }

func NewGraph() *ExprGraph { return nil }

type Value interface{ Data() interface{} }

type Node struct{ g *ExprGraph }

func (n *Node) Value() Value         { return nil }
func (n *Node) Grad() (Value, error) { return nil, nil }

type Nodes []*Node

type ValueGrad interface{ Value() Value }

func NodesToValueGrads(in Nodes) (out []ValueGrad) { return nil }

type VMOpt func(m VM)

type VM interface {
	RunAll() error
	Reset()
	Close() error
}

func ExecuteFwdOnly() VMOpt { return nil }
func TraceExec() VMOpt      { return nil }

type lispMachine struct{ g *ExprGraph }

func NewLispMachine(g *ExprGraph, opts ...VMOpt) *lispMachine { return nil }
func (m *lispMachine) RunAll() error                          { return nil }
func (m *lispMachine) Reset()                                 {}
func (m *lispMachine) Close() error                           { return nil }

type Solver interface{ Step([]ValueGrad) error }

type VanillaSolver struct{ eta float64 }

func NewVanillaSolver() *VanillaSolver                { return nil }
func (s *VanillaSolver) Step(model []ValueGrad) error { return nil }
