// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

var (
	againNames    = map[string]Again{"ok": AgainOK, "error": AgainError, "crash": AgainCrash, "unknown": AgainUnknown}
	memNames      = map[string]Mem{"device": MemDevice, "host": MemHost, "handle": MemHandle}
	backstopNames = map[string]Backstop{
		"none": BackstopNone, "late": BackstopLate, "gc": BackstopGC, "gconly": BackstopGCOnly, "broken": BackstopBroken,
	}
	poolNames = map[string]string{"mandatory": "mandatory", "optional": "optional"}
)

// class parses a class directive: the name, then what is true of the class.
func (d directive) class(errs *ErrorList) *Class {
	c := &Class{Pos: d.pos}
	failed := len(*errs)
	for i, w := range d.words {
		var want string
		switch {
		case i == 0:
			if w.kv || !isClassName(w.text) {
				want = "the name of a class as in cuda.mem"
			}
			c.Name = w.text
		case !w.kv:
			switch w.text {
			case "process":
				c.Process = true
			case "optional":
				c.Optional = true
			case "ignore":
				c.Ignore = true
			default:
				want = "process, optional, ignore or a key=value of a class: " + classKeys
			}
		case w.val == "":
			want = w.text + " with a value"
		default:
			want = c.set(w)
		}
		if want != "" {
			errs.add(w.pos, w.String(), want)
		}
	}
	switch {
	case len(*errs) > failed:
		return nil
	case c.Name == "":
		errs.add(d.pos, "class without a name", "the name of a class as in cuda.mem")
		return nil
	case c.Noun == "":
		errs.add(d.pos, "class "+c.Name+" without noun=", `what messages call it, as in noun="device memory"`)
		return nil
	case c.Verb == "":
		errs.add(d.pos, "class "+c.Name+" without verb=", "the past participle of its release, as in verb=freed")
		return nil
	}
	return c
}

const classKeys = "accepts, again, backstop, before, mem, nil, noun, pool, verb"

// set sets one key of a class.
func (c *Class) set(w word) (want string) {
	switch w.text {
	case "noun":
		c.Noun = w.val
	case "verb":
		c.Verb = w.val
	case "mem":
		c.Mem, want = oneOf(w.val, memNames)
	case "backstop":
		c.Backstop, want = oneOf(w.val, backstopNames)
	case "again":
		c.Again, want = oneOf(w.val, againNames)
	case "nil":
		c.NilSafe, want = oneOf(w.val, map[string]bool{"ok": true, "crash": false})
	case "pool":
		c.Pool, want = oneOf(w.val, poolNames)
	case "accepts":
		c.Accepts, want = splitList(w.val)
	case "before":
		c.Before, want = splitList(w.val)
	default:
		want = "one of the keys of a class: " + classKeys
	}
	return want
}

// Releases reports whether a release that names c may release a resource of
// the class other.
func (c *Class) Releases(other *Class) bool {
	return c == other || c != nil && other != nil && (c.Name == other.Name || slices.Contains(c.Accepts, other.Name))
}

// resource parses the directive that makes a type a handle.
func (d directive) resource(errs *ErrorList) *Type {
	t := &Type{Pos: d.pos}
	failed := len(*errs)
	for i, w := range d.words {
		var want string
		switch {
		case i == 0:
			if w.kv || !isClassName(w.text) {
				want = "the name of a class as in cuda.mem"
			}
			t.Class = &Class{Name: w.text}
		case w.kv && w.text == "release":
			t.Releases, want = splitList(w.val)
		case !w.kv && w.text == "owned":
			t.Owned = true
		case !w.kv && w.text == "value":
			t.ByValue = true
		default:
			want = "release=METHODS, owned or value"
		}
		if want != "" {
			errs.add(w.pos, w.String(), want)
		}
	}
	if len(*errs) > failed {
		return nil
	}
	if t.Class == nil {
		errs.add(d.pos, "resource without a class", "the name of a class as in cuda.mem")
		return nil
	}
	return t
}

// isClassName reports whether s looks like library.kind.
func isClassName(s string) bool {
	lib, kind, ok := strings.Cut(s, ".")
	if !ok || lib == "" || kind == "" || strings.HasSuffix(kind, ".") {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != '.' && c != '-' && !isIdent(c) {
			return false
		}
	}
	return !isDigit(lib[0])
}

func splitList(s string) (list []string, want string) {
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item == "" {
			return nil, "names with commas between them"
		}
		list = append(list, item)
	}
	return list, ""
}

func oneOf[V any](s string, names map[string]V) (v V, want string) {
	if v, ok := names[s]; ok {
		return v, ""
	}
	keys := slices.Sorted(maps.Keys(names))
	for i, k := range keys {
		keys[i] = strconv.Quote(k)
	}
	return v, strings.Join(keys, " or ")
}
