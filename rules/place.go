// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"strconv"
	"strings"
)

// scope is the signature that places and conditions are resolved in.
type scope struct {
	recv    string // name of the receiver, "" if it has none
	isRecv  bool
	params  []Param
	results []Param
}

// String is the text form of p, with parameters by index (param0) because a
// Place does not carry their names.
func (p Place) String() string {
	var b strings.Builder
	if p.Deref {
		b.WriteByte('*')
	}
	switch p.Kind {
	case PlaceNone:
		return ""
	case PlaceResult:
		b.WriteString("result")
		if p.All {
			b.WriteByte('*')
		} else {
			b.WriteString(strconv.Itoa(p.Index))
		}
	case PlaceParam:
		fmt.Fprintf(&b, "param%d", p.Index)
	case PlaceRecv:
		b.WriteString("recv")
	}
	for _, step := range p.Path {
		b.WriteString(step)
	}
	return b.String()
}

// place parses the text of a place. Want is empty if it could.
func (sc *scope) place(text string) (p Place, want string) {
	rest := text
	if strings.HasPrefix(rest, "*") {
		p.Deref = true
		rest = rest[1:]
	}
	n := 0
	for n < len(rest) && isIdent(rest[n]) {
		n++
	}
	root := rest[:n]
	rest = rest[n:]
	if root == "result" && strings.HasPrefix(rest, "*") {
		p.All = true
		rest = rest[1:]
	}
	if want := sc.root(root, &p); want != "" {
		return p, want
	}
	for rest != "" {
		step, ok := cutStep(&rest)
		if !ok {
			return p, "a path of .Field, [] and <N> steps after " + root
		}
		p.Path = append(p.Path, step)
	}
	return p, ""
}

// root resolves the first word of a place.
func (sc *scope) root(root string, p *Place) (want string) {
	if root == "recv" || root != "" && root != "_" && root == sc.recv {
		if !sc.isRecv {
			return "a place of a function without receiver: " + sc.places()
		}
		p.Kind = PlaceRecv
		return ""
	}
	for i, q := range sc.params {
		if q.Name == root && root != "_" && root != "" {
			p.Kind, p.Index = PlaceParam, i
			return ""
		}
	}
	for i, q := range sc.results {
		if q.Name == root && root != "_" && root != "" {
			p.Kind, p.Index = PlaceResult, i
			return ""
		}
	}
	num, ok := strings.CutPrefix(root, "result")
	if !ok {
		return sc.places()
	}
	if num != "" {
		i, err := strconv.Atoi(num)
		if err != nil {
			return sc.places()
		}
		p.Index = i
	}
	if p.All {
		p.Kind = PlaceResult // may be none: a pattern lists only what it requires
		return ""
	}
	if p.Index < 0 || p.Index >= len(sc.results) {
		return fmt.Sprintf("a result below result%d", len(sc.results))
	}
	p.Kind = PlaceResult
	return ""
}

// places lists what a place can start with, for messages.
func (sc *scope) places() string {
	var names []string
	if sc.isRecv {
		names = append(names, "recv")
	}
	for _, q := range sc.params {
		if q.Name != "" && q.Name != "_" {
			names = append(names, q.Name)
		}
	}
	for i := range sc.results {
		names = append(names, fmt.Sprintf("result%d", i))
	}
	if len(names) == 0 {
		return "no place, as the declaration has neither receiver, named parameters nor results"
	}
	return "a place of this declaration: " + strings.Join(names, ", ")
}

// cutStep takes one path step off the front of rest.
func cutStep(rest *string) (step string, ok bool) {
	s := *rest
	n := 0
	switch {
	case strings.HasPrefix(s, "[]"):
		n = 2
	case s[0] == '.':
		n = 1
		for n < len(s) && isIdent(s[n]) {
			n++
		}
		if n == 1 || isDigit(s[1]) {
			return "", false
		}
	case s[0] == '<':
		n = 1
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		if n == 1 || n == len(s) || s[n] != '>' {
			return "", false
		}
		n++
	default:
		return "", false
	}
	*rest = s[n:]
	return s[:n], true
}

// cond parses the value of when=.
func (sc *scope) cond(text string) (c Cond, want string) {
	const keywords = "always, success, failure, maybe, [!]NAME of a bool parameter or result, or each:NAME of a []bool parameter"
	switch text {
	case "always":
		return Cond{Kind: CondAlways}, ""
	case "success":
		return Cond{Kind: CondSuccess}, ""
	case "failure":
		return Cond{Kind: CondFailure}, ""
	case "maybe":
		return Cond{Kind: CondMaybe}, ""
	}
	if name, ok := strings.CutPrefix(text, "each:"); ok {
		p, want := sc.place(name)
		if want != "" || p.Kind != PlaceParam || len(p.Path) > 0 {
			return c, "a []bool parameter after each:"
		}
		if t := sc.params[p.Index].Type; t != "[]bool" && t != "...bool" {
			return c, fmt.Sprintf("a []bool parameter after each:, and %s is %s", name, t)
		}
		return Cond{Kind: CondElems, Arg: p.Index}, ""
	}
	name, negate := strings.CutPrefix(text, "!")
	p, want := sc.place(name)
	if want != "" || len(p.Path) > 0 || p.Deref || p.All {
		return c, keywords
	}
	c = Cond{Arg: p.Index, Negate: negate}
	var typ string
	switch p.Kind {
	case PlaceParam:
		c.Kind, typ = CondArg, sc.params[p.Index].Type
	case PlaceResult:
		c.Kind, typ = CondResult, sc.results[p.Index].Type
	default:
		return c, keywords
	}
	switch typ {
	case "bool", "...bool", "C.bool", "C._Bool", "C.int":
		return c, ""
	}
	return c, fmt.Sprintf("a bool in when=, and %s is %s", name, typ)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isIdent(c byte) bool {
	return c == '_' || isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
