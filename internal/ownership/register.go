// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"golang.org/x/tools/go/ssa"
)

// registers reports whether the callee runs a func argument later, surely: the
// registered release of a test, a context or a group.
func (r *run) registers(iv *invocation) bool {
	if iv.obj == nil || iv.obj.Pkg() == nil {
		return false
	}
	switch iv.obj.Pkg().Path() {
	case "testing":
		return iv.obj.Name() == "Cleanup" || iv.obj.Name() == "Run"
	case "context":
		return iv.obj.Name() == "AfterFunc"
	case "runtime":
		return iv.obj.Name() == "AddCleanup" || iv.obj.Name() == "SetFinalizer"
	case "sync":
		return iv.obj.Name() == "Do" || iv.obj.Name() == "Go"
	case "slices", "sort", "maps", "strings":
		return true
	}
	return false
}

// callArgs runs the literals among the arguments; the callee itself does
// nothing else with the resource.
func (r *run) callArgs(fr *frame, s *state, iv *invocation) ([]*state, bool) {
	if s.status == live && iv.obj.Pkg().Path() == "runtime" {
		for _, a := range iv.args {
			if s.reach(a) {
				s.status = unknown // a finalizer: late, but not never
				return r.settle(s)
			}
		}
	}
	sync := iv.obj.Pkg().Path() != "testing" || iv.obj.Name() != "Cleanup"
	for _, a := range iv.args {
		c, ok := a.(*clo)
		if !ok {
			continue
		}
		if c.fn.Object() != nil {
			// t.Cleanup(m.Close): a bound method.
			if s.status == live && s.reach(c) {
				civ := &invocation{in: iv.in, common: &ssa.CallCommon{Value: c.fn}, fn: c}
				r.resolve(civ)
				return r.invoke(fr, s, civ)
			}
			continue
		}
		if sync && iv.obj.Name() != "AfterFunc" && iv.obj.Name() != "Go" {
			if out, ok := r.runCallback(fr, s, c); ok {
				return out, true
			}
			continue
		}
		if s.status == live && s.reach(c) {
			return r.tryClosure(fr, s, c, nil, false)
		}
		if s.status == unborn {
			// Registered before the acquisition: t.Cleanup(func() { x.Close() })
			// with x assigned later. Run it when the function ends.
			s.defers[0] = append(s.defers[0][:len(s.defers[0]):len(s.defers[0])], deferred{call: r.e.cleanupDefer(iv.in), fn: c})
		}
	}
	for _, a := range iv.args {
		if _, ok := a.(done); ok && s.status == live {
			s.status = released
			return r.settle(s)
		}
	}
	return nil, false
}
