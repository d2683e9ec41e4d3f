// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// keyKind says how a map's key behaves over time.
type keyKind uint8

const (
	keyNeutral  keyKind = iota
	keyFixed            // names from a configuration
	keyChanging         // different with every request, shape or time
)

var changingWords = []string{
	"id", "ids", "uid", "req", "request", "prompt", "text", "query", "shape", "shapes", "dims", "dim", "size", "sizes", "len", "length", "n", "batch",
	"seq", "sequence", "token", "tokens", "step", "iter", "iteration", "frame", "ts", "time", "now", "uuid", "url", "hash", "digest", "sum", "width",
	"height", "user", "session", "conn", "client", "addr", "ptr", "rows", "cols", "count", "input", "epoch", "message", "msg", "job",
	"task", "item", "seed", "offset", "pos", "position", "trace", "span", "ticket", "event", "nonce", "serial", "number", "no",
}

var fixedWords = []string{
	"name", "names", "model", "path", "file", "filename", "kind", "type", "typ", "device", "dev", "gpu", "backend", "layer", "op", "dtype", "format",
	"lang", "language", "config", "cfg", "mode", "stage", "level", "role", "variant", "precision", "arch", "theme", "font", "asset", "shader", "pipeline",
	"effect", "label", "tag", "class", "param", "weight", "slot", "rank", "shard", "node", "texture", "material", "sprite", "scene",
}

// keyOf classifies a map's key.
func (k *keepScan) keyOf(v ssa.Value) keyKind {
	return k.keyKindOf(v, 0)
}

func (k *keepScan) keyKindOf(v ssa.Value, depth int) keyKind {
	if depth > 6 {
		return keyNeutral
	}
	if k.fewKeys(v, 0) {
		return keyFixed
	}
	switch u := v.Type().Underlying().(type) {
	case *types.Pointer:
		return keyChanging
	case *types.Array, *types.Struct:
		return keyChanging // sizes, or several things together
	case *types.Basic:
		if u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr {
			return keyChanging
		}
	}
	switch x := v.(type) {
	case *ssa.Parameter:
		return wordKind(x.Name())
	case *ssa.FreeVar:
		return wordKind(x.Name())
	case *ssa.Convert:
		return k.keyKindOf(x.X, depth+1)
	case *ssa.ChangeType:
		return k.keyKindOf(x.X, depth+1)
	case *ssa.MakeInterface:
		return k.keyKindOf(x.X, depth+1)
	case *ssa.Field:
		return wordKind(fieldName(x.X.Type(), x.Field))
	case *ssa.Extract:
		return k.keyKindOf(x.Tuple, depth+1)
	case *ssa.BinOp:
		a, b := k.keyKindOf(x.X, depth+1), k.keyKindOf(x.Y, depth+1)
		if a == keyChanging || b == keyChanging {
			return keyChanging
		}
		if a == keyFixed && b == keyFixed {
			return keyFixed
		}
	case *ssa.Phi:
		if loopCounter(x) {
			return keyNeutral
		}
	case *ssa.Next:
		return keyFixed // of another map
	case *ssa.UnOp:
		switch a := x.X.(type) {
		case *ssa.FieldAddr:
			if k.ofRequest(a) {
				return keyChanging
			}
			return wordKind(fieldName(a.X.Type(), a.Field))
		case *ssa.Global:
			return wordKind(a.Name())
		case *ssa.Alloc:
			if s := keepStore(a); s != nil {
				return k.keyKindOf(s.Val, depth+1)
			}
			return wordKind(a.Comment)
		case *ssa.FreeVar:
			return wordKind(a.Name())
		case *ssa.IndexAddr:
			return keyFixed // of a list
		}
	case *ssa.Call:
		return k.callKey(x, depth)
	}
	return keyNeutral
}

// ofRequest reports whether a field belongs to a request, near or far:
// r.URL.Path.
func (k *keepScan) ofRequest(a *ssa.FieldAddr) bool {
	var v ssa.Value = a
	for i := 0; i < 6; i++ {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.UnOp:
			v = k.origin(x)
			if v == ssa.Value(x) {
				v = x.X
			}
		default:
			n := namedOf(v.Type())
			return n != nil && (n.Obj().Name() == "Request" || strings.HasSuffix(n.Obj().Name(), "Req"))
		}
	}
	return false
}

// callKey classifies a key that is computed.
func (k *keepScan) callKey(x *ssa.Call, depth int) keyKind {
	fn := x.Call.StaticCallee()
	if fn == nil {
		if x.Call.IsInvoke() {
			return wordKind(x.Call.Method.Name())
		}
		return keyNeutral
	}
	if len(x.Call.Args) > 0 {
		if n := namedOf(x.Call.Args[0].Type()); n != nil && (n.Obj().Name() == "Request" || n.Obj().Name() == "Header") {
			return keyChanging // r.FormValue("model")
		}
	}
	obj := originFunc(fn)
	if obj == nil || obj.Pkg() == nil {
		return keyNeutral
	}
	switch p := obj.Pkg().Path(); {
	case p == "fmt" || p == "strings" || p == "strconv":
		kind := keyFixed
		for _, a := range x.Call.Args {
			els := varargs(a)
			if els == nil {
				els = []ssa.Value{a}
			}
			for _, el := range els {
				if _, isConst := el.(*ssa.Const); isConst {
					continue
				}
				switch k.printed(el, depth+1) {
				case keyChanging:
					return keyChanging
				case keyNeutral:
					kind = keyNeutral
				}
			}
		}
		return kind
	case p == "time", strings.Contains(p, "uuid"), strings.HasPrefix(p, "math/rand"), strings.HasPrefix(p, "crypto"), strings.HasPrefix(p, "hash"),
		p == "sync/atomic":
		return keyChanging
	}
	return wordKind(fn.Name())
}

// printed classifies what is formatted into a key: a slice is a shape.
func (k *keepScan) printed(v ssa.Value, depth int) keyKind {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	switch v.Type().Underlying().(type) {
	case *types.Slice, *types.Array, *types.Pointer:
		if wordKind(valueName(v)) == keyFixed {
			return keyFixed
		}
		return keyChanging
	}
	return k.keyKindOf(v, depth)
}

func valueName(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Parameter:
		return v.Name()
	case *ssa.UnOp:
		switch a := v.X.(type) {
		case *ssa.FieldAddr:
			return fieldName(a.X.Type(), a.Field)
		case *ssa.Global:
			return a.Name()
		case *ssa.Alloc:
			return a.Comment
		}
	}
	return ""
}

func wordKind(name string) keyKind {
	kind := keyNeutral
	for _, w := range nameWords(name) {
		if slices.Contains(fixedWords, w) {
			return keyFixed
		}
		if slices.Contains(changingWords, w) {
			kind = keyChanging
		}
	}
	return kind
}

// loopCounter reports whether a phi counts: i := 0; i++.
func loopCounter(phi *ssa.Phi) bool {
	for _, e := range phi.Edges {
		if bin, ok := e.(*ssa.BinOp); ok && (bin.X == ssa.Value(phi) || bin.Y == ssa.Value(phi)) {
			return true
		}
	}
	return false
}
