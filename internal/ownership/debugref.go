// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// debugRef follows the user's variables, so that an assignment which loses the
// only name of the resource can be shown.
func (r *run) debugRef(s *state, in *ssa.DebugRef) {
	obj := in.Object()
	if obj == nil || in.IsAddr || s.status != live {
		return
	}
	if r.forgotten(in) {
		return
	}
	v := r.eval(s, in.X)
	if o, ok := v.(own); ok && !o.sub {
		if s.names == nil {
			s.names = map[types.Object]bool{}
		}
		s.names[obj] = true
		return
	}
	if s.names[obj] && !s.over.IsValid() {
		delete(s.names, obj)
		if s.elsewhere(loc{}) {
			return // only one of its names: it is in a container, say
		}
		s.over, s.overName, s.overNil = in.Expr.Pos(), obj.Name(), isZero(v)
	}
}

// forgotten reports whether nothing but debug references read a register in
// this block and behind it, so that it was dropped at the block's entry: what it
// holds is not known, and is no other value for it.
//
//	_ = buf
func (r *run) forgotten(in *ssa.DebugRef) bool {
	def, ok := in.X.(ssa.Instruction)
	if !ok || def.Block() == in.Block() {
		return false
	}
	fi := r.e.info(in.Parent())
	n, ok := fi.num[in.X]
	return ok && !fi.live[in.Block().Index].has(n)
}
