// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"
)

// again says how often an insertion runs in the life of its container.
type again uint8

const (
	againNever again = iota // while the object or the program is set up
	againMaybe              // whenever somebody calls
	againOften              // on every iteration, request or step
)

// stepWords are in the names of functions that run once for each step.
var stepWords = []string{
	"forward", "backward", "step", "infer", "predict", "process", "handle", "serve", "eval", "evaluate", "generate", "decode",
	"encode", "embed", "detect", "classify", "render", "draw", "frame", "tick", "next", "train", "execute", "transform",
	"segment", "recognize", "transcribe", "tokenize", "sample", "score", "request", "poll", "receive", "consume", "ingest", "accumulate",
}

// setupWords begin the names of functions that run while things are built.
var setupWords = []string{
	"new", "load", "open", "init", "setup", "build", "make", "create", "prepare", "register", "configure", "warm", "with", "must",
	"start", "connect", "attach", "bind", "install", "define", "declare", "populate", "preload", "import", "parse", "read", "unmarshal", "restore",
}

// often says how often ev runs, and per what, for the message.
func (k *keepScan) often(ev *keepEvent) (again, string) {
	if k.endless(ev.at.Block()) {
		return againOften, "iteration"
	}
	if ev.ref.base != nil && k.fresh(ev.ref.base) && ev.outer.base == nil {
		return againNever, "" // its constructor
	}
	return k.oftenRun(ev.fn, 0)
}

func (k *keepScan) oftenRun(fn *ssa.Function, depth int) (again, string) {
	if fn.Parent() != nil {
		return k.oftenLiteral(fn, depth)
	}
	name := fn.Name()
	switch {
	case name == "init" || strings.HasPrefix(name, "init#"):
		return againNever, ""
	case name == "main" && fn.Signature.Recv() == nil && k.e.pass.Pkg.Name() == "main":
		return againNever, ""
	case isTestFunc(fn):
		return againNever, ""
	case isHandler(fn.Signature):
		return againOften, "request"
	}
	words := nameWords(name)
	if len(words) > 0 && fn.Signature.Params().Len()+fn.Signature.Results().Len() > 0 {
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(stepWords, w) }) && !slices.Contains(setupWords, words[0]) {
			return againOften, "call of " + name
		}
		if (words[0] == "run" || words[0] == "call" || words[0] == "apply" || words[0] == "invoke" || words[0] == "on") && hasWorkParam(fn.Signature) {
			return againOften, "call of " + name
		}
	}
	best, per := againMaybe, ""
	if len(words) > 0 && slices.Contains(setupWords, words[0]) {
		best = againNever
	}
	callers := k.callersOf(fn)
	if depth > 4 || len(callers) == 0 {
		return best, per
	}
	most := againNever
	for _, c := range callers {
		if top(c.Parent()) == fn {
			continue // recursion
		}
		got, p := k.oftenRun(c.Parent(), depth+1)
		if k.endless(c.Block()) {
			got, p = againOften, "iteration"
		}
		if got > most {
			most, per = got, p
		}
	}
	if most == againOften {
		return most, per
	}
	if exported(fn) || k.taken[fn] {
		return best, "" // others call it too
	}
	return min(best, most), ""
}

// oftenLiteral: what a literal does happens as often as it is called.
func (k *keepScan) oftenLiteral(fn *ssa.Function, depth int) (again, string) {
	if isHandler(fn.Signature) {
		return againOften, "request"
	}
	for _, call := range k.takers(fn) {
		if stdCallee(call.Common(), "net/http") != "" {
			return againOften, "request"
		}
	}
	mc := k.closure(fn)
	if isCgoWrapper(fn) || mc == nil || !k.outlives(mc) {
		got, per := k.oftenRun(fn.Parent(), depth+1)
		if mc != nil && k.endless(mc.Block()) {
			return againOften, "iteration"
		}
		return got, per
	}
	return againMaybe, "" // returned or stored: called by somebody, some time
}

// outlives reports whether a literal is returned or stored, rather than called,
// deferred or handed to a call that uses it up.
func (k *keepScan) outlives(mc *ssa.MakeClosure) bool {
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		if seen[v] || v.Referrers() == nil {
			return false
		}
		seen[v] = true
		for _, ref := range *v.Referrers() {
			switch ref := ref.(type) {
			case *ssa.Return:
				return true
			case *ssa.Store:
				if ref.Val != v {
					continue
				}
				a, ok := ref.Addr.(*ssa.Alloc)
				if !ok {
					if fa, isField := ref.Addr.(*ssa.FieldAddr); isField {
						if obj, isAlloc := fa.X.(*ssa.Alloc); isAlloc && !obj.Heap {
							continue
						}
					}
					return true
				}
				for _, r := range *a.Referrers() {
					if load, ok := r.(*ssa.UnOp); ok && visit(load) {
						return true
					}
				}
			case *ssa.MapUpdate:
				return true
			case *ssa.MakeInterface, *ssa.ChangeType, *ssa.Phi:
				if visit(ref.(ssa.Value)) {
					return true
				}
			case *ssa.Call:
				if ref.Call.Value == v {
					continue
				}
				if stdCallee(&ref.Call, "net/http") != "" || hasWord(k.e.calleeName(&ref.Call), []string{"handle", "subscribe", "register", "callback", "onf", "listen", "route", "use"}) {
					return true
				}
			}
		}
		return false
	}
	return visit(mc)
}

func exported(fn *ssa.Function) bool {
	obj := originFunc(fn)
	return obj != nil && obj.Exported()
}

func isTestFunc(fn *ssa.Function) bool {
	for _, p := range fn.Params {
		if n := namedOf(p.Type()); n != nil && n.Obj().Pkg().Path() == "testing" {
			return true
		}
	}
	return strings.HasPrefix(fn.Name(), "Example") && fn.Signature.Params().Len() == 0 && fn.Signature.Recv() == nil
}

// isHandler reports whether a signature is that of a request handler.
func isHandler(sig *types.Signature) bool {
	for i := 0; i < sig.Params().Len(); i++ {
		n := namedOf(sig.Params().At(i).Type())
		if n == nil {
			continue
		}
		switch n.Obj().Pkg().Path() + "." + n.Obj().Name() {
		case "net/http.ResponseWriter", "net/http.Request":
			return true
		}
		switch n.Obj().Name() {
		case "Context", "Ctx":
			if p := n.Obj().Pkg().Path(); strings.Contains(p, "gin") || strings.Contains(p, "echo") || strings.Contains(p, "fiber") {
				return true
			}
		}
	}
	return false
}

// hasWorkParam reports whether a function is given something to work on.
func hasWorkParam(sig *types.Signature) bool {
	for i := 0; i < sig.Params().Len(); i++ {
		if n := namedOf(sig.Params().At(i).Type()); n != nil && n.Obj().Pkg().Path() == "context" {
			continue
		}
		return true
	}
	return false
}

// endless reports whether b is in a loop that never ends by itself: for {}, or
// one that waits for a channel.
func (k *keepScan) endless(b *ssa.BasicBlock) bool {
	for _, l := range k.e.info(b.Parent()).loops {
		if l.contains(b) && k.endlessLoop(l) {
			return true
		}
	}
	return false
}

func (k *keepScan) endlessLoop(l *loop) bool {
	fn := l.head.Parent()
	exits := false
	for _, b := range fn.Blocks {
		if !l.contains(b) {
			continue
		}
		for _, s := range b.Succs {
			if !l.contains(s) && (!endsIn(s) || k.counted(l, b)) {
				exits = true
			}
		}
	}
	if !exits {
		return true
	}
	// for x := range ch, for scanner.Scan(): as long as something comes.
	for _, in := range l.head.Instrs {
		if recv, ok := in.(*ssa.UnOp); ok && recv.CommaOk && recv.Op.String() == "<-" {
			return true
		}
		if call, ok := in.(*ssa.Call); ok {
			if name := k.e.calleeName(&call.Call); strings.HasSuffix(name, ".Scan") {
				return true
			}
		}
	}
	return false
}

// counted reports whether b leaves l because everything was visited: a counter
// has reached its end, or a range over a map or a string.
func (k *keepScan) counted(l *loop, b *ssa.BasicBlock) bool {
	iff, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	switch c := iff.Cond.(type) {
	case *ssa.BinOp:
		fi := k.e.info(b.Parent())
		return isInt(c.X) && (fi.inductive(l, c.X) || fi.inductive(l, c.Y))
	case *ssa.Extract:
		_, next := c.Tuple.(*ssa.Next)
		return next
	}
	return false
}

func isInt(v ssa.Value) bool {
	b, ok := v.Type().Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// endsIn reports whether a block does nothing but leave the function.
func endsIn(b *ssa.BasicBlock) bool {
	for i := 0; i < 4; i++ {
		switch last := b.Instrs[len(b.Instrs)-1].(type) {
		case *ssa.Return, *ssa.Panic:
			return true
		case *ssa.Jump:
			if len(b.Instrs) > 3 {
				return false
			}
			b = last.Block().Succs[0]
		default:
			return false
		}
	}
	return false
}

// nameWords splits a Go name: "onNewFrame2" is on, new, frame.
func nameWords(name string) []string {
	var words []string
	var cur []rune
	flush := func() {
		if len(cur) > 0 {
			words = append(words, strings.ToLower(string(cur)))
			cur = nil
		}
	}
	rs := []rune(name)
	for i, r := range rs {
		switch {
		case r == '_' || unicode.IsDigit(r) || r == '.':
			flush()
			continue
		case unicode.IsUpper(r) && (i > 0 && unicode.IsLower(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])):
			flush()
		}
		cur = append(cur, r)
	}
	flush()
	return words
}
