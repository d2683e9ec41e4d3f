// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// configWords are in the names of C types that many constructors take over.
var configWords = []string{"conf", "option", "opts", "param", "setting", "attr", "desc", "builder", "spec", "request", "props"}

// takesConfig reports whether a C function without a model makes something out
// of a configuration that it is given: it may keep that. What this function
// does afterwards decides, as with all callees that cannot be seen.
//
//	rk := C.rd_kafka_new(conf)
func (r *run) takesConfig(iv *invocation, held []int) bool {
	if iv.obj == nil {
		return false
	}
	name, ok := cFuncName(iv.obj.Name())
	sig := iv.obj.Signature()
	if !ok || sig.Results().Len() == 0 || !hasWord(name, acquireWords) || cTypeKey(sig.Results().At(0).Type()) == "" {
		return false // makes nothing
	}
	for _, i := range held {
		if i >= sig.Params().Len() {
			continue
		}
		p, ok := types.Unalias(sig.Params().At(i).Type()).(*types.Pointer)
		if ok && hasWord(typeBase(p.Elem()), configWords) {
			return true
		}
	}
	return false
}

// gaveNil reports whether a call is known to have returned nil.
func (s *state) gaveNil(in ssa.CallInstruction) bool {
	call, ok := in.(*ssa.Call)
	return ok && s.facts.at(sym{v: call}).isNil > 0
}
