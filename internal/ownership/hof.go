// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

// withLiteral executes a function of the package in place that is given the
// resource and a literal to call with it. Its summary knows only that somebody
// else's function may take the resource over; here it is known which.
//
//	func with(h *handle, f func(*handle) error) error { return f(h) }
//	…
//	return with(h, func(h *handle) error { return h.Use() })
func (r *run) withLiteral(fr *frame, s *state, iv *invocation, held []int) ([]*state, bool) {
	fn := iv.callee
	if fn == nil || iv.obj == nil || !r.e.local(fn) || s.status != live || !hasLiteral(iv.args) {
		return nil, false
	}
	doubtful := false
	for _, i := range held {
		if _, isFunc := iv.args[i].(*clo); isFunc {
			return nil, false // the literal itself holds it
		}
		for _, path := range r.heldPaths(s, iv.args[i]) {
			eff := r.e.effect(iv, i, path)
			doubtful = doubtful || (eff.OK|eff.Err)&bitUnknown != 0
		}
	}
	if !doubtful {
		return nil, false // the summary says it all
	}
	return r.inline(fr, s, &clo{fn: fn}, iv)
}
