// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gpumemlint/gpumemlint/rules"
)

// cancels ties a new resource that ends with a context to the function which
// cancels that context: from here on, calling it releases the resource.
//
//	t1 = context.WithCancel(t0)
//	t2 = extract t1 #0               the context
//	t3 = extract t1 #1               its end
//	defer t3()
//	t4 = lib.Watch(t2)
//
// A context with a time limit ends by itself, and one that came from elsewhere
// is ended there: nothing is said of what depends on them.
func (r *run) cancels(s *state, iv *invocation) ([]*state, bool) {
	if iv.model == nil {
		return nil, false
	}
	for _, e := range iv.model.Effects {
		if e.Op != rules.OpCancel {
			continue
		}
		ctx, _, ok := iv.arg(e.Place)
		if !ok {
			continue
		}
		stop, ends := r.endOf(s, ctx, 0)
		if ends {
			s.status = moved
			return r.settle(s)
		}
		if stop.v != nil {
			s.replace(stop, done{})
		}
	}
	return nil, false
}

// endOf is the function that ends a context, and whether the context ends
// without it. Neither is known of one that never ends.
func (r *run) endOf(s *state, ctx val, depth int) (stop sym, ends bool) {
	x, ok := ctx.(sym)
	if !ok {
		return sym{}, true
	}
	call, ok := x.v.(*ssa.Call)
	if !ok || depth > maxSteps {
		return sym{}, true // a parameter, a field, a choice of several
	}
	fn := call.Call.StaticCallee()
	if fn == nil {
		return sym{}, true
	}
	obj, _ := fn.Object().(*types.Func)
	if obj == nil || obj.Pkg() == nil {
		return sym{}, true
	}
	switch obj.Pkg().Path() + "." + obj.Name() {
	case "context.WithCancel", "context.WithCancelCause", "os/signal.NotifyContext":
		return sym{v: call, i: 2}, x.i != 1
	case "context.WithValue":
		return r.endOf(s, r.eval(s, call.Call.Args[0]), depth+1)
	case "context.Background", "context.TODO", "context.WithoutCancel":
		return sym{}, false
	}
	return sym{}, true
}

// replace puts another value in the place of an opaque one, wherever it is.
func (s *state) replace(from sym, to val) {
	s.mapVals(func(x val) val {
		if x == val(from) {
			return to
		}
		return x
	})
}
