// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// posInt is a length that cannot be 0: that of a container which holds the
// resource.
type posInt struct{}

// binop evaluates comparisons that the path decides; nil means it does not.
func (r *run) binop(s *state, in *ssa.BinOp) val {
	x, y := r.eval(s, in.X), r.eval(s, in.Y)
	switch in.Op {
	case token.EQL, token.NEQ:
		eq, ok := s.equal(x, y)
		if !ok {
			return nil
		}
		return boolVal(eq == (in.Op == token.EQL))
	case token.GTR, token.LEQ:
		if _, ok := x.(posInt); ok && isZero(y) {
			return boolVal(in.Op == token.GTR)
		}
	case token.LSS, token.GEQ:
		if _, ok := y.(posInt); ok && isZero(x) {
			return boolVal(in.Op == token.LSS)
		}
		if _, ok := x.(posInt); ok && y == intVal("1") {
			return boolVal(in.Op == token.GEQ)
		}
	}
	return nil
}

// equal decides x == y, and says whether it could.
func (s *state) equal(x, y val) (eq, ok bool) {
	if isNilLike(x) {
		x, y = y, x
	}
	switch x := x.(type) {
	case own, done:
		if isNilLike(y) || y == intVal("0") {
			return false, true
		}
	case ptr, *clo:
		if isNilLike(y) {
			return false, true
		}
	case posInt:
		if y == intVal("0") {
			return false, true
		}
	case nilVal:
		if isNilLike(y) {
			return true, true
		}
	case boolVal:
		if b, ok := y.(boolVal); ok {
			return x == b, true
		}
	case intVal:
		if i, ok := y.(intVal); ok {
			return x == i, true
		}
		if f, known := s.factOf(y); known {
			return s.intFact(f, x)
		}
	case sym:
		f, known := s.facts.get(x)
		if isNilLike(y) {
			if x.i == 0 && (nonNilValue(x.v) || sentinel(x)) {
				return false, true
			}
			if known && f.isNil != 0 {
				return f.isNil > 0, true
			}
			return false, false
		}
		if !known {
			return false, false
		}
		switch y := y.(type) {
		case intVal:
			return s.intFact(f, y)
		case boolVal:
			if f.truth != 0 {
				return (f.truth > 0) == bool(y), true
			}
		}
	}
	return false, false
}

// sentinel reports whether x is a package variable of type error: io.EOF,
// errClosed. They are never nil.
func sentinel(x sym) bool {
	g, ok := x.l.root.(*ssa.Global)
	return ok && x.v == nil && x.l.path == "" && isError(elem(g.Type()))
}

func (s *state) factOf(v val) (fact, bool) {
	x, ok := v.(sym)
	if !ok {
		return fact{}, false
	}
	f, ok := s.facts.get(x)
	return f, ok
}

func (s *state) intFact(f fact, x intVal) (eq, ok bool) {
	switch {
	case f.equals != "":
		return f.equals == string(x), true
	case f.differ == string(x):
		return false, true
	}
	return false, false
}

func isNilLike(v val) bool {
	_, ok := v.(nilVal)
	return ok
}

// nonNilValue reports whether an instruction never yields nil.
func nonNilValue(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeInterface, *ssa.Alloc, *ssa.MakeClosure, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice, *ssa.Function:
		return true
	case *ssa.Call:
		if f := v.Call.StaticCallee(); f != nil && f.Pkg != nil {
			switch f.Pkg.Pkg.Path() + "." + f.Name() {
			case "errors.New", "fmt.Errorf":
				return true
			}
		}
	}
	return false
}

// refine records what taking one side of a condition tells. It reports false
// for a side that cannot be taken.
func (r *run) refine(s *state, cond ssa.Value, truth bool) bool {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return r.refine(s, c.X, !truth)
		}
	case *ssa.BinOp:
		if c.Op == token.EQL || c.Op == token.NEQ {
			return r.refineEqual(s, c, (c.Op == token.EQL) == truth)
		}
		return true
	case *ssa.Call:
		if ok, done := r.refineCall(s, c, truth); done {
			return ok
		}
	}
	x, ok := r.eval(s, cond).(sym)
	if !ok {
		return true
	}
	f := s.facts.at(x)
	want := int8(-1)
	if truth {
		want = 1
	}
	if f.truth != 0 && f.truth != want {
		return false
	}
	f.truth = want
	s.facts.set(x, f)
	if !truth && x.i > 0 {
		r.failed(s, x) // the ok of a pair; a lone bool is a question
	}
	return true
}

func (r *run) refineEqual(s *state, c *ssa.BinOp, eq bool) bool {
	x, y := r.eval(s, c.X), r.eval(s, c.Y)
	if _, ok := x.(sym); !ok {
		x, y = y, x
	}
	v, ok := x.(sym)
	if !ok {
		return true
	}
	f := s.facts.at(v)
	switch y := y.(type) {
	case nilVal:
		if eq {
			f.isNil = 1
		} else {
			f.isNil = -1
			if isError(c.X.Type()) {
				r.failed(s, v)
			}
		}
	case intVal:
		if eq {
			f.equals = string(y)
			if y != "0" && isStatus(c.X.Type()) {
				r.failed(s, v)
			}
		} else {
			f.differ = string(y)
			if y == "0" && isStatus(c.X.Type()) {
				r.failed(s, v)
			}
		}
	case boolVal:
		if eq == bool(y) {
			f.truth = 1
		} else {
			f.truth = -1
		}
	default:
		return true
	}
	s.facts.set(v, f)
	return true
}

// failed remembers whose failure the path is on.
func (r *run) failed(s *state, v sym) {
	if v.v != nil && s.status == live {
		s.cause = v.v
	}
}

// refineCall understands predicates: errors.Is and errors.As are false for
// nil, and a handle that is asked whether it is empty or closed and says so
// holds nothing.
func (r *run) refineCall(s *state, c *ssa.Call, truth bool) (ok, done bool) {
	f := c.Call.StaticCallee()
	name := ""
	if f != nil {
		name = f.Name()
	} else if c.Call.IsInvoke() {
		name = c.Call.Method.Name()
	}
	if isErrorsIs(&c.Call) {
		v := r.eval(s, c.Call.Args[0])
		if isNilLike(v) {
			return !truth, true
		}
		if x, isSym := v.(sym); isSym && truth {
			if s.facts.at(x).isNil > 0 {
				return false, true
			}
			fa := s.facts.at(x)
			fa.isNil = -1
			s.facts.set(x, fa)
			r.failed(s, x)
		}
		return true, true
	}
	var recv val
	switch {
	case c.Call.IsInvoke():
		recv = r.eval(s, c.Call.Value)
	case len(c.Call.Args) > 0:
		recv = r.eval(s, c.Call.Args[0])
	default:
		return false, false
	}
	if s.status != live || r.target == nil || !s.isHandle(recv) {
		return false, false // a summary must not lose the path
	}
	switch name {
	case "Empty", "IsEmpty", "Closed", "IsClosed", "IsNil", "IsZero":
		if truth {
			return false, true // nothing to release on this side
		}
		return true, true
	case "Valid", "IsValid", "IsOpened", "IsOpen", "Ok", "IsAlive":
		// The other way round, but an object that failed to open is still an
		// object: only validity proper counts.
		if !truth && name != "IsOpened" && name != "IsOpen" {
			return false, true
		}
		return true, true
	}
	return false, false
}

// isHandle reports whether v is the resource, or the cell of a struct handle.
func (s *state) isHandle(v val) bool {
	switch v := v.(type) {
	case own:
		return !v.sub
	case ptr:
		_, ok := s.mem.at(v.l).(own)
		return ok
	}
	return false
}

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

func isError(t types.Type) bool {
	return types.IsInterface(t) && types.Implements(t, errorType)
}
