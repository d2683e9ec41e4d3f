// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/types"
	"slices"
	"strings"
)

// Words in the names of C functions that begin and end the life of what they
// return or take.
var (
	acquireWords = []string{"new", "create", "alloc", "init", "open", "load", "make", "dup", "clone", "copy", "parse", "build", "compile", "read", "decode", "detect", "compute", "split", "export"}
	borrowWords  = []string{"get", "query", "find", "peek", "current", "borrow", "view", "ref", "next", "prev", "first", "last", "parent", "is_", "set_"}
	releaseWords = append(slices.Clone(firmWords), "clear")
	firmWords    = []string{"free", "destroy", "release", "delete", "close", "unref", "dispose", "finalize", "drop", "term", "shutdown", "unload"}
)

// notWords are names in which one of the words is only letters, or is asked
// for: a determinant terminates nothing, and dropout is a layer.
var notWords = strings.NewReplacer("determin", "", "freetype", "", "freeimage", "", "freeglut", "", "freenect", "", "disclose", "", "enclose", "", "nuclear", "", "intermedi", "",
	"allclose", "", "isclose", "",
	"freez", "", "freedom", "", "dropout", "", "drop_path", "", "droppath", "", "backdrop", "", "dropdown", "", "watermark", "", "terminal", "", "counterm", "", "parameterm", "",
	"long_term", "", "short_term", "", "longterm", "", "shortterm", "", "closest", "", "closure", "", "clearance", "",
	"is_closed", "", "isclosed", "", "is_released", "", "isreleased", "", "is_freed", "", "is_destroyed", "", "isdestroyed", "")

// startsWord reports whether one of the words begins a part of a name:
// ctx_get_device and ctxGetDevice, but not widget_new.
func startsWord(name string, words []string) bool {
	for i := range name {
		begins := i == 0 || name[i-1] == '_' || 'A' <= name[i] && name[i] <= 'Z' && !('A' <= name[i-1] && name[i-1] <= 'Z')
		if !begins {
			continue
		}
		rest := strings.ToLower(name[i:])
		for _, w := range words {
			if strings.HasPrefix(rest, w) {
				return true
			}
		}
	}
	return false
}

func hasWord(name string, words []string) bool {
	name = notWords.Replace(strings.ToLower(name))
	for _, w := range words {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// strongRelease reports whether a C name says that the handle is gone, not only
// emptied, and not one reference of several.
//
// rd_kafka_DeleteGroup_new makes a request to delete.
func strongRelease(name string) bool {
	for _, made := range []string{"_new", "_create", "_init", "_alloc", "New", "Create"} {
		if strings.HasSuffix(name, made) {
			return false
		}
	}
	return hasWord(name, []string{"free", "destroy", "delete", "dispose", "release"})
}

// cEnds reports whether the name of a C function says that it releases what it
// is given.
func (e *engine) cEnds(name string) bool {
	return hasWord(name, releaseWords) && !e.onlyEmpties(name)
}

// onlyEmpties reports whether a C function that clears something leaves the
// thing itself: it is told what to fill it with, or the package has another
// function that ends such things.
//
//	C.cache_clear(c, 0)
//	C.cache_clear(c) // beside C.cache_free(c)
//	C.mpz_clear(&n)  // ends it: there is no other way
func (e *engine) onlyEmpties(name string) bool {
	if hasWord(name, firmWords) {
		return false
	}
	if e.cEmpties == nil {
		e.cEmpties = e.emptiers()
	}
	return e.cEmpties[name]
}

// emptiers are the C functions of the package that clear, and do not release.
func (e *engine) emptiers() map[string]bool {
	ended := map[string]bool{} // types for which there is a release
	clears := map[string]*types.Signature{}
	scope := e.pass.Pkg.Scope()
	for _, n := range scope.Names() {
		name, ok := cFuncName(n)
		fn, isFunc := scope.Lookup(n).(*types.Func)
		if !ok || !isFunc || !hasWord(name, releaseWords) {
			continue
		}
		if !hasWord(name, firmWords) {
			clears[name] = fn.Signature()
			continue
		}
		for _, key := range handleKeys(fn.Signature()) {
			ended[key] = true
		}
	}
	out := map[string]bool{}
	for name, sig := range clears {
		out[name] = sig.Params().Len() > 1 || slices.ContainsFunc(handleKeys(sig), func(key string) bool { return ended[key] })
	}
	return out
}

// handleKeys are the C handle types among the parameters of a function, whether
// they are given or pointed at.
func handleKeys(sig *types.Signature) []string {
	found := map[string]bool{}
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		if key := cTypeKey(t); key != "" {
			found[key] = true
		} else if p, ok := t.(*types.Pointer); ok {
			if key := cTypeKey(p.Elem()); key != "" {
				found[key] = true
			}
		}
	}
	return sortedKeys(found)
}
