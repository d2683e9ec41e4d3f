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
	if s.freed == nil || s.freed.preset {
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
	switch r.target.acq.class.Name {
	case "c.heap", "cuda.host", "cu.host", "hip.host":
		return true
	}
	return false
}
