// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package gorgonia is a signature-only stand-in for the graph library of the
// same import path. Constructors return unexported types, as in the real one.
package gorgonia

type ExprGraph struct{ name string }

func NewGraph() *ExprGraph { return nil }

type Node struct{ g *ExprGraph }

type VMOpt func(m VM)

func ExecuteFwdOnly() VMOpt { return nil }
func TraceExec() VMOpt      { return nil }

// VM runs a graph.
type VM interface {
	RunAll() error
	Reset()
	Close() error
}

type tapeMachine struct{ p *ExprGraph }

func NewTapeMachine(g *ExprGraph, opts ...VMOpt) *tapeMachine { return nil }
func (m *tapeMachine) RunAll() error                          { return nil }
func (m *tapeMachine) Reset()                                 {}
func (m *tapeMachine) Close() error                           { return nil }

type lispMachine struct{ g *ExprGraph }

func NewLispMachine(g *ExprGraph, opts ...VMOpt) *lispMachine { return nil }
func (m *lispMachine) RunAll() error                          { return nil }
func (m *lispMachine) Reset()                                 {}
func (m *lispMachine) Close() error                           { return nil }
