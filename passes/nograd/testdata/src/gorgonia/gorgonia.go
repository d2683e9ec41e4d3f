// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gorgonia

import G "gorgonia.org/gorgonia"

func predict(g *G.ExprGraph, out *G.Node) (any, error) {
	m := G.NewLispMachine(g) // want `VM from G.NewLispMachine goes backwards too at lispMachine.RunAll \(line 11\), and nothing uses the gradients: pass gorgonia.ExecuteFwdOnly \(GM501\)`
	defer m.Close()
	if err := m.RunAll(); err != nil {
		return nil, err
	}
	return out.Value().Data(), nil
}

func traced(g *G.ExprGraph) error {
	m := G.NewLispMachine(g, G.TraceExec()) // want `goes backwards too`
	defer m.Close()
	return m.RunAll()
}

func forwardOnly(g *G.ExprGraph) error {
	m := G.NewLispMachine(g, G.TraceExec(), G.ExecuteFwdOnly())
	defer m.Close()
	return m.RunAll()
}

func training(g *G.ExprGraph, weights G.Nodes, s G.Solver) error {
	m := G.NewLispMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		return err
	}
	return s.Step(G.NodesToValueGrads(weights))
}

func withSolver(g *G.ExprGraph, weights G.Nodes) error {
	s := G.NewVanillaSolver()
	m := G.NewLispMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		return err
	}
	return s.Step(G.NodesToValueGrads(weights))
}

func looksAtGradient(g *G.ExprGraph, w *G.Node) (G.Value, error) {
	m := G.NewLispMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		return nil, err
	}
	return w.Grad()
}

// The caller steps.
func once(g *G.ExprGraph) error {
	m := G.NewLispMachine(g)
	defer m.Close()
	return m.RunAll()
}

func epochs(g *G.ExprGraph, weights G.Nodes, s G.Solver) {
	for range 100 {
		once(g)
		s.Step(G.NodesToValueGrads(weights))
	}
}

func chosen(g *G.ExprGraph, opts []G.VMOpt) error {
	m := G.NewLispMachine(g, opts...)
	defer m.Close()
	return m.RunAll()
}

func made(g *G.ExprGraph) G.VM { return G.NewLispMachine(g) }
