// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/internal/report"
)

// touches reports a load or store through the handle or a view after the end.
// C memory is there to be read; a Go object stays when its resource goes.
func (r *run) touches(s *state, in ssa.Instruction, addr ssa.Value, t types.Type) bool {
	if s.freed == nil {
		return r.readsEarly(s, in, addr)
	}
	if s.freed.preset {
		return false
	}
	pos := in.Pos()
	if !pos.IsValid() {
		pos = addr.Pos()
	}
	switch x := r.eval(s, addr).(type) {
	case view:
		if x.l.kept || !pos.IsValid() {
			return false
		}
		r.blame(s, misuse{kind: Outlived, pos: pos, view: x.l, certain: report.Definite})
		return true
	case own:
		if _, isFunc := t.Underlying().(*types.Signature); isFunc || !pos.IsValid() || !r.ofMemory(s) {
			return false
		}
		r.blame(s, misuse{kind: UsedAfter, pos: pos, certain: report.Definite})
		return true
	}
	return false
}

// reads reports a builtin that reads a slice over released memory.
func (r *run) reads(s *state, in *ssa.Call, v ssa.Value) bool {
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return false
	}
	return r.touches(s, in, v, v.Type())
}

// copies reports whether a conversion copies what it converts.
func copies(in *ssa.Convert) bool {
	_, from := in.X.Type().Underlying().(*types.Slice)
	b, to := in.Type().Underlying().(*types.Basic)
	return from && to && b.Info()&types.IsString != 0
}

// ofMemory reports whether the resource is plain memory that Go code can read.
func (r *run) ofMemory(s *state) bool {
	if r.target == nil {
		return s.freed.raw && s.freed.noun == "C memory"
	}
	return hostMemory(r.target.acq.class.Name)
}

// hostMemory reports whether a class is memory that Go code reads directly.
func hostMemory(class string) bool {
	switch class {
	case "c.heap", "cuda.host", "cu.host", "hip.host":
		return true
	}
	return false
}

// readsEarly reports a load from memory that a copy may not have filled yet.
//
//	C.cudaMemcpyAsync(host, dev, n, C.cudaMemcpyDeviceToHost, stream)
//	v := *(*float32)(host)
func (r *run) readsEarly(s *state, in ssa.Instruction, addr ssa.Value) bool {
	if _, load := in.(*ssa.UnOp); !load {
		if _, call := in.(*ssa.Call); !call {
			return false // a store
		}
	}
	p := s.pending
	if p == nil || !p.writes || s.sawFailure(p.result) || r.target == nil || !r.ofMemory(s) {
		return false
	}
	if _, is := r.eval(s, addr).(own); !is {
		return false
	}
	pos := in.Pos()
	if !pos.IsValid() {
		pos = addr.Pos()
	}
	if !pos.IsValid() {
		return false
	}
	r.blame(s, misuse{kind: ReadEarly, pos: pos, pending: p, certain: report.Definite})
	return true
}
