// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// eval is what v is on this path.
func (r *run) eval(s *state, v ssa.Value) val {
	if x, ok := s.env[v]; ok {
		return x
	}
	switch v := v.(type) {
	case *ssa.Const:
		return constVal(v)
	case *ssa.Global:
		return ptr{loc{root: v}}
	case *ssa.Function:
		return &clo{fn: v}
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
		return ptr{loc{root: v}}
	}
	return sym{v: v}
}

// peek evaluates what an instruction that has not run yet would yield: the
// container that a loop loads anew in each iteration.
func (r *run) peek(s *state, v ssa.Value, depth int) val {
	if x, ok := s.env[v]; ok || depth > 4 {
		if ok {
			return x
		}
		return sym{v: v}
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if l, ok := pointee(r.peek(s, v.X, depth+1)); ok && v.Op == token.MUL {
			return r.load(s, l, v.Type(), v)
		}
	case *ssa.FieldAddr:
		if l, ok := pointee(r.peek(s, v.X, depth+1)); ok {
			return r.address(s, v, l, "."+fieldName(v.X.Type(), v.Field))
		}
	case *ssa.ChangeType:
		return r.peek(s, v.X, depth+1)
	case *ssa.Slice:
		return r.peek(s, v.X, depth+1)
	}
	return r.eval(s, v)
}

// peekInside evaluates an expression of a literal as it would be if the literal
// were called now.
func (r *run) peekInside(s *state, v ssa.Value, lit *ssa.MakeClosure, depth int) val {
	if depth > 6 {
		return sym{v: v}
	}
	switch v := v.(type) {
	case *ssa.FreeVar:
		for i, fv := range v.Parent().FreeVars {
			if fv == v {
				return r.peek(s, lit.Bindings[i], 0)
			}
		}
	case *ssa.UnOp:
		if l, ok := pointee(r.peekInside(s, v.X, lit, depth+1)); ok && v.Op == token.MUL {
			return r.load(s, l, v.Type(), v)
		}
	case *ssa.FieldAddr:
		if l, ok := pointee(r.peekInside(s, v.X, lit, depth+1)); ok {
			return r.address(s, v, l, "."+fieldName(v.X.Type(), v.Field))
		}
	}
	return sym{v: v}
}

// set records a register. Opaque values are their own default.
func (s *state) set(v ssa.Value, x val) {
	if y, ok := x.(sym); ok && y.v == v && y.i == 0 {
		delete(s.env, v)
		return
	}
	s.env[v] = x
}

// instr executes one instruction. It reports true with the resulting states
// when the path forked or ended.
func (r *run) instr(fr *frame, s *state, in ssa.Instruction) ([]*state, bool) {
	if fr.fi.inner.has(fr.cur.Index) && len(s.facts)+len(s.mem) > 0 {
		if v, ok := in.(ssa.Value); ok {
			if _, ok := in.(*ssa.Alloc); !ok {
				r.redefine(s, v)
			}
		}
	}
	switch in := in.(type) {
	case *ssa.Alloc:
		r.alloc(s, in)
	case *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		r.alloc(s, in.(ssa.Value))
	case *ssa.Store:
		r.store(s, in)
	case *ssa.UnOp:
		return r.unop(fr, s, in)
	case *ssa.BinOp:
		if x := r.binop(s, in); x != nil {
			s.set(in, x)
		}
	case *ssa.FieldAddr:
		if l, ok := r.pointee(s, in.X); ok {
			s.set(in, r.address(s, in, l, "."+fieldName(in.X.Type(), in.Field)))
		} else if x, ok := r.eval(s, in.X).(own); ok {
			// &owner.field: whatever is found there is part of the owner.
			_ = x
			s.set(in, own{sub: true})
		}
	case *ssa.Field:
		switch x := r.eval(s, in.X).(type) {
		case *agg:
			s.set(in, part(x, "."+fieldName(in.X.Type(), in.Field), in))
		case own:
			if canHold(in.Type(), 0) || isFunc(in.Type()) {
				s.set(in, own{sub: true})
			}
		case sym:
			if x.v == nil {
				l := x.l.field("." + fieldName(in.X.Type(), in.Field))
				if !l.deep() {
					s.set(in, r.load(s, l, in.Type(), in))
				}
			}
		}
	case *ssa.IndexAddr:
		r.indexAddr(s, in)
	case *ssa.Index:
		switch x := r.eval(s, in.X).(type) {
		case *agg:
			v := part(x, indexStep(in.Index), in)
			if s.status == live && indexStep(in.Index) == "[]" && s.reach(v) {
				return r.loadVisited(s, in, v)
			}
			s.set(in, v)
		case own:
			s.set(in, own{sub: true})
		}
	case *ssa.Lookup:
		r.lookup(s, in)
	case *ssa.MapUpdate:
		if l, ok := r.pointee(s, in.Map); ok {
			r.put(s, l.field("[]"), r.eval(s, in.Value), in.Pos())
			if k := r.eval(s, in.Key); s.status == live && s.reach(k) {
				s.mem[l.field("[]")] = k // a set of handles
			}
		}
	case *ssa.Slice:
		r.slice(s, in)
	case *ssa.Convert:
		r.pass(s, in, in.X)
	case *ssa.ChangeType:
		r.pass(s, in, in.X)
	case *ssa.ChangeInterface:
		r.pass(s, in, in.X)
	case *ssa.MultiConvert:
		r.pass(s, in, in.X)
	case *ssa.SliceToArrayPointer:
		r.pass(s, in, in.X)
	case *ssa.MakeInterface:
		if x := r.eval(s, in.X); s.reach(x) {
			s.set(in, x)
		} else if _, ok := x.(ptr); ok {
			s.set(in, x)
		}
	case *ssa.TypeAssert:
		if x := r.eval(s, in.X); s.reach(x) {
			if in.CommaOk {
				s.set(in, &tup{[]val{x, sym{v: in, i: 2}}})
			} else {
				s.set(in, x)
			}
		}
	case *ssa.Extract:
		s.set(in, r.extract(s, in))
	case *ssa.MakeClosure:
		c := &clo{fn: in.Fn.(*ssa.Function)}
		for _, b := range in.Bindings {
			c.b = append(c.b, r.eval(s, b))
		}
		s.set(in, c)
	case *ssa.Range:
		s.set(in, r.eval(s, in.X))
	case *ssa.Next:
		if l, ok := r.pointee(s, in.Iter); ok {
			if x := r.load(s, l.field("[]"), nil, in); s.reach(x) {
				out, forked := r.loadVisited(s, in, &tup{[]val{boolVal(true), sym{v: in, i: 2}, x}})
				if !forked {
					return nil, false
				}
				return out, true
			}
		}
	case *ssa.Send:
		return r.send(fr, s, in.Chan, in.X, in.Pos())
	case *ssa.Select:
		return r.sel(fr, s, in)
	case *ssa.DebugRef:
		r.debugRef(s, in)
	case *ssa.Call:
		return r.call(fr, s, in)
	case *ssa.Defer:
		r.deferCall(s, in)
	case *ssa.Go:
		return r.goCall(fr, s, in)
	case *ssa.RunDefers:
		return r.runDefers(fr, s), true
	case *ssa.Panic:
		return nil, true // implicit and explicit panics owe nothing
	}
	return nil, false
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

func (r *run) alloc(s *state, v ssa.Value) {
	l := loc{root: v}
	delete(s.env, v)
	if s.status == live && s.reachLoc(l, map[loc]bool{}) {
		r.age(s, v) // the object of an earlier iteration lives on under an old name
	}
	for m := range s.mem {
		if m.root == any(v) && !m.old {
			delete(s.mem, m)
		}
	}
}

// age renames the object of an earlier iteration.
func (r *run) age(s *state, v ssa.Value) {
	old := func(l loc) loc {
		if l.root == any(v) {
			l.old = true
		}
		return l
	}
	var sub func(x val) val
	sub = func(x val) val {
		switch x := x.(type) {
		case ptr:
			return ptr{old(x.l)}
		case *clo:
			c := &clo{fn: x.fn}
			for _, b := range x.b {
				c.b = append(c.b, sub(b))
			}
			return c
		case *tup:
			t := &tup{}
			for _, e := range x.vs {
				t.vs = append(t.vs, sub(e))
			}
			return t
		}
		return x
	}
	mem := make(map[loc]val, len(s.mem))
	for m, x := range s.mem {
		mem[old(m)] = sub(x)
	}
	s.mem = mem
	for k, x := range s.env {
		s.env[k] = sub(x)
	}
	for i, stack := range s.defers {
		var ds []deferred
		for _, d := range stack {
			d.fn = sub(d.fn)
			args := make([]val, len(d.args))
			for j, a := range d.args {
				args[j] = sub(a)
			}
			d.args = args
			ds = append(ds, d)
		}
		s.defers[i] = ds
	}
}

func (r *run) pointee(s *state, v ssa.Value) (loc, bool) {
	return pointee(r.eval(s, v))
}

// address is the pointer to a step below l, opaque when too deep.
func (r *run) address(s *state, in ssa.Value, l loc, step string) val {
	l = l.field(step)
	if l.deep() {
		return sym{v: in}
	}
	return ptr{l}
}

func fieldName(t types.Type, i int) string {
	t = t.Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	if st, ok := coreStruct(t); ok && i < st.NumFields() {
		return st.Field(i).Name()
	}
	return strconv.Itoa(i)
}

func coreStruct(t types.Type) (*types.Struct, bool) {
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

func indexStep(v ssa.Value) string {
	if c, ok := v.(*ssa.Const); ok && c.Value != nil {
		return "[" + c.Value.ExactString() + "]"
	}
	return "[]"
}

func (r *run) indexAddr(s *state, in *ssa.IndexAddr) {
	x := r.eval(s, in.X)
	if _, ok := x.(own); ok {
		s.set(in, own{sub: true})
		return
	}
	l, ok := pointee(x)
	if !ok {
		return
	}
	step := "[]"
	if a, ok := in.X.(*ssa.Alloc); ok {
		_ = a
		step = indexStep(in.Index) // an array: elements apart
	}
	s.set(in, r.address(s, in, l, step))
}

func (r *run) lookup(s *state, in *ssa.Lookup) {
	l, ok := r.pointee(s, in.X)
	if !ok {
		return
	}
	x := r.load(s, l.field("[]"), in.Type(), in)
	if !s.reach(x) {
		return
	}
	if in.CommaOk {
		s.set(in, &tup{[]val{x, boolVal(true)}})
	} else {
		s.set(in, x)
	}
}

func (r *run) slice(s *state, in *ssa.Slice) {
	switch x := r.eval(s, in.X).(type) {
	case ptr:
		s.set(in, x)
	case sym:
		s.set(in, x)
	case own:
		s.set(in, x)
	}
}

// pass makes a conversion transparent where it cannot lose the resource.
func (r *run) pass(s *state, in ssa.Value, from ssa.Value) {
	switch x := r.eval(s, from).(type) {
	case sym:
		if x.v == nil || x.i != 0 || !isBasicNumber(from.Type()) {
			s.set(in, x)
		}
	case intVal, boolVal:
		s.set(in, x)
	default:
		s.set(in, x)
	}
}

func isBasicNumber(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

func part(a *agg, step string, def ssa.Value) val {
	if v, ok := a.m[step]; ok {
		return v
	}
	if step == "[]" { // some element: the one that matters
		for _, k := range sortedKeys(a.m) {
			if _, ok := a.m[k].(own); ok && strings.HasPrefix(k, "[") {
				return a.m[k]
			}
		}
	}
	sub := map[string]val{}
	for k, v := range a.m {
		if len(k) > len(step) && strings.HasPrefix(k, step) && (k[len(step)] == '.' || k[len(step)] == '[') {
			sub[k[len(step):]] = v
		}
	}
	if len(sub) > 0 {
		return &agg{sub}
	}
	if v, ok := a.m[""]; ok {
		if _, ok := v.(own); ok {
			return own{sub: true}
		}
	}
	return sym{v: def}
}

func (r *run) extract(s *state, in *ssa.Extract) val {
	if t, ok := s.env[in.Tuple].(*tup); ok && in.Index < len(t.vs) {
		return t.vs[in.Index]
	}
	return sym{v: in.Tuple, i: in.Index + 1}
}

// load reads a location. typ may be nil for an element of unknown type.
func (r *run) load(s *state, l loc, typ types.Type, in ssa.Value) val {
	if v, ok := s.mem[l]; ok {
		return v
	}
	if strings.HasSuffix(l.path, "]") {
		if v, ok := r.loadElem(s, l); ok {
			return v
		}
	}
	if strings.Contains(l.path, "[]") {
		if v, ok := s.loadAny(l, typ); ok {
			return v
		}
	}
	// Part of something known as a whole?
	for p := l.path; p != ""; {
		p = parentPath(p)
		up := loc{root: l.root, old: l.old, path: p}
		switch v := s.mem[up].(type) {
		case own:
			if typ != nil && !canHold(typ, 0) && !isFunc(typ) {
				return sym{v: in} // a number read through the handle
			}
			return own{sub: true}
		case *agg:
			return part(v, l.path[len(p):], in)
		case nilVal:
			if typ != nil {
				return zeroVal(typ)
			}
			return v
		case ptr:
			// A pointer was stored where the path was flattened.
			return r.load(s, loc{root: v.l.root, old: v.l.old, path: v.l.path + l.path[len(p):]}, typ, in)
		case sym:
			if v.v != nil {
				return sym{v: in}
			}
		}
	}
	if typ != nil {
		switch typ.Underlying().(type) {
		case *types.Struct, *types.Array:
			sub := map[string]val{}
			for m, v := range s.mem {
				if rest, ok := l.under(m); ok && rest != "" {
					sub[rest] = v
				}
			}
			if len(sub) > 0 {
				return &agg{sub}
			}
		case *types.Slice:
			// A slice header put together by hand: h.Data = uintptr(p).
			for m, v := range s.mem {
				if rest, ok := l.under(m); ok && rest != "" && rest[0] == '.' && s.reach(v) {
					return own{sub: true}
				}
			}
		}
	}
	if a, ok := l.root.(*ssa.Alloc); ok && !l.old && !s.havocked(l) {
		_ = a
		if typ != nil {
			return zeroVal(typ)
		}
	}
	return sym{l: l}
}

// havocked reports whether an unknown call may have written below l's root.
func (s *state) havocked(l loc) bool {
	_, ok := s.mem[loc{root: l.root, old: l.old, path: "?"}]
	return ok
}

// loadElem reads an element at an index that is not known, or one that may
// have been stored under an index that was not known.
func (r *run) loadElem(s *state, l loc) (val, bool) {
	i := strings.LastIndexByte(l.path, '[')
	base := l.path[:i]
	any := l
	any.path = base + "[]"
	if l.path != any.path {
		v, ok := s.mem[any]
		return v, ok
	}
	var keys []string
	for m := range s.mem {
		if m.root == l.root && m.old == l.old && strings.HasPrefix(m.path, base+"[") && strings.IndexByte(m.path[i:], ']') == len(m.path)-i-1 {
			keys = append(keys, m.path)
		}
	}
	best := ""
	for _, k := range keys {
		v := s.mem[loc{root: l.root, old: l.old, path: k}]
		if s.reach(v) && (best == "" || k < best) {
			best = k
		}
	}
	if best == "" {
		return nil, false
	}
	return s.mem[loc{root: l.root, old: l.old, path: best}], true
}

// loadAny reads a place below an element whose index is not known from the
// element that leads to the resource: "[].x" from "[1].x".
func (s *state) loadAny(l loc, typ types.Type) (val, bool) {
	isStruct := typ != nil && isStructVal(typ)
	parts := map[string]map[string]val{} // by element, then by path below l
	for m, v := range s.mem {
		if m.root != l.root || m.old != l.old || !s.reach(v) {
			continue
		}
		elem, rest, ok := matchIndex(l.path, m.path)
		if !ok || rest != "" && !isStruct {
			continue
		}
		if parts[elem] == nil {
			parts[elem] = map[string]val{}
		}
		parts[elem][rest] = v
	}
	for _, elem := range sortedKeys(parts) {
		if v, ok := parts[elem][""]; ok {
			return v, true
		}
		return &agg{parts[elem]}, true
	}
	return nil, false
}

// matchIndex reports whether path, in which [] stands for any index, is a
// prefix of full, and gives the part of full that it matches and the rest.
func matchIndex(path, full string) (elem, rest string, ok bool) {
	i := 0
	for j := 0; j < len(path); {
		if i >= len(full) {
			return "", "", false
		}
		if path[j] == '[' && j+1 < len(path) && path[j+1] == ']' && full[i] == '[' {
			end := strings.IndexByte(full[i:], ']')
			if end < 0 {
				return "", "", false
			}
			i += end + 1
			j += 2
			continue
		}
		if path[j] != full[i] {
			return "", "", false
		}
		i++
		j++
	}
	rest = full[i:]
	if rest != "" && rest[0] != '.' && rest[0] != '[' {
		return "", "", false
	}
	return full[:i], rest, true
}

func parentPath(p string) string {
	i := strings.LastIndexAny(p, ".[")
	if i < 0 {
		return ""
	}
	return p[:i]
}

func (r *run) store(s *state, in *ssa.Store) {
	l, ok := r.pointee(s, in.Addr)
	if !ok {
		return
	}
	r.put(s, l, r.eval(s, in.Val), in.Pos())
}

// put writes v to l. Elements at unknown indices are written weakly.
func (r *run) put(s *state, l loc, v val, pos token.Pos) {
	if p, ok := pointee(v); ok && p == l {
		return // s.list = append(s.list, x): back to where it came from
	}
	if strings.Contains(l.path, "[]") {
		if s.status == live && s.reachLoc(l, map[loc]bool{}) && !s.reach(v) {
			return // some other element, for all that is known
		}
	} else if s.status == live && s.reachLoc(l, map[loc]bool{}) && !s.reach(v) && !s.elsewhere(l) {
		s.over, s.overName = pos, placeName(l)
		s.overNil = isZero(v)
	}
	for m := range s.mem {
		if rest, ok := l.under(m); ok && rest != "" {
			delete(s.mem, m)
		}
	}
	if a, ok := v.(*agg); ok {
		delete(s.mem, l)
		for k, e := range a.m {
			s.mem[l.field(k)] = e
		}
		return
	}
	s.mem[l] = v
}

// elsewhere reports whether memory outside l, or a deferred call, leads to the
// resource too. Registers do not count: most are dead.
func (s *state) elsewhere(l loc) bool {
	if s.deferredHold() {
		return true
	}
	for m, v := range s.mem {
		if _, inside := l.under(m); inside {
			continue
		}
		if p, ok := pointee(v); ok && p.root == l.root {
			continue // the way to l itself
		}
		if s.reach(v) {
			return true
		}
	}
	return false
}

// placeName names a location for a message.
func placeName(l loc) string {
	name := ""
	switch root := l.root.(type) {
	case *ssa.Alloc:
		name = root.Comment
	case *ssa.Global:
		name = root.Name()
	case sym:
		if p, ok := root.v.(*ssa.Parameter); ok {
			name = p.Name()
		} else if fv, ok := root.v.(*ssa.FreeVar); ok {
			name = fv.Name()
		}
	}
	if name == "complit" || name == "new" {
		name = ""
	}
	return strings.TrimPrefix(name+l.path, ".")
}

func (r *run) unop(fr *frame, s *state, in *ssa.UnOp) ([]*state, bool) {
	switch in.Op {
	case token.MUL:
		switch x := r.eval(s, in.X).(type) {
		case own:
			if x.sub && !canHold(in.Type(), 0) && !isFunc(in.Type()) {
				return nil, false // a number read through the handle
			}
			s.set(in, x) // *handle, or what an owner's field holds
		case ptr, sym:
			l, _ := pointee(x)
			if g, ok := in.X.(*ssa.Global); ok {
				if _, isFunc := g.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Signature); isFunc {
					return nil, false // a function variable: the call looks at the instruction
				}
			}
			if isSuccessConst(in) {
				s.set(in, intVal("0"))
				return nil, false
			}
			v := r.load(s, l, in.Type(), in)
			if s.status == live && strings.Contains(l.path, "[]") && s.reach(v) {
				return r.loadVisited(s, in, v)
			}
			s.set(in, v)
		}
	case token.NOT:
		if b, ok := r.eval(s, in.X).(boolVal); ok {
			s.set(in, !b)
		}
	case token.ARROW:
		if r.received == in && s.status == unborn {
			s.status = live
			if in.CommaOk {
				s.set(in, &tup{[]val{own{}, boolVal(true)}})
			} else {
				s.set(in, own{})
			}
			return nil, false
		}
		if l, ok := r.pointee(s, in.X); ok {
			if x := r.load(s, l.field("[]"), nil, in); s.reach(x) {
				if in.CommaOk {
					s.set(in, &tup{[]val{x, boolVal(true)}})
				} else {
					s.set(in, x)
				}
			}
		}
	}
	return nil, false
}

// isSuccessConst reports whether in reads a C constant that cgo made a variable
// and that is named like success: static const int cudaSuccess = 0.
//
//	t1 = *_Cvar_cudaSuccess
//	t2 = *t1
func isSuccessConst(in *ssa.UnOp) bool {
	inner, ok := in.X.(*ssa.UnOp)
	if !ok {
		return false
	}
	g, ok := inner.X.(*ssa.Global)
	if !ok || !strings.HasPrefix(g.Name(), "_Cvar_") {
		return false
	}
	name := strings.ToLower(g.Name())
	return strings.HasSuffix(name, "success") || strings.HasSuffix(name, "_ok")
}

// loadVisited reads an element in a loop over the container: once it is the
// resource, otherwise it is not.
func (r *run) loadVisited(s *state, in ssa.Value, v val) ([]*state, bool) {
	l := r.visiting(s)
	if l == nil {
		s.set(in, v)
		return nil, false
	}
	switch now := s.visited[l.head]; {
	case now.now > 0:
		s.set(in, v) // a[i] again
		return nil, false
	case now.now < 0 || now.seen:
		delete(s.env, in)
		return nil, false
	}
	t := s.clone()
	delete(t.env, in)
	t.visit(l.head, false)
	s.visit(l.head, true)
	s.set(in, v)
	return []*state{s, t}, true
}

// debugRef follows the user's variables, so that an assignment which loses the
// only name of the resource can be shown.
func (r *run) debugRef(s *state, in *ssa.DebugRef) {
	obj := in.Object()
	if obj == nil || in.IsAddr || s.status != live {
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
		s.over, s.overName, s.overNil = in.Expr.Pos(), obj.Name(), isZero(v)
	}
}
