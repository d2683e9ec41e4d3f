// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

const prefix = "//gpumem:"

// A need says whether an operand must, may or must not be given.
type need uint8

const (
	none need = iota
	optional
	required
)

// A verb is the grammar of one directive that says what a function does.
type verb struct {
	op    Op
	class need     // a class name before the places
	place need     // one place or more
	of    need     // of=PLACE
	keys  []string // further keys and flags; when= and of= are handled apart
}

var verbs = map[string]verb{
	"acquire":  {OpAcquire, optional, optional, none, []string{"when", "release"}},
	"release":  {OpRelease, optional, optional, none, []string{"when", "again", "nil", "advisory", "partial", "keyed"}},
	"consume":  {OpConsume, optional, required, optional, []string{"when"}},
	"borrow":   {OpBorrow, optional, required, optional, []string{"when"}},
	"view":     {OpView, optional, required, required, []string{"when", "owned"}},
	"alias":    {OpAlias, none, required, required, []string{"when"}},
	"keep":     {OpKeep, none, required, required, []string{"when"}},
	"retain":   {OpRetain, none, required, optional, []string{"when"}},
	"give":     {OpGive, optional, required, optional, []string{"when"}},
	"cleanup":  {OpCleanup, optional, required, optional, []string{"when"}},
	"cancel":   {OpCancel, optional, required, optional, nil},
	"adopt":    {OpAdopt, optional, required, required, []string{"when", "release"}},
	"fill":     {OpFill, optional, required, none, []string{"when"}},
	"arena":    {OpArena, optional, required, none, nil},
	"pin":      {OpPin, none, required, none, []string{"when"}},
	"unpin":    {OpUnpin, none, required, none, []string{"when"}},
	"sweep":    {OpSweep, optional, none, none, nil},
	"async":    {OpAsync, none, required, required, nil},
	"sync":     {OpSync, none, optional, none, nil},
	"thread":   {OpThread, none, optional, none, nil},
	"order":    {OpOrder, none, required, required, nil},
	"noscope":  {OpNoScope, none, none, none, nil},
	"nograd":   {OpNoGrad, none, none, none, []string{"when"}},
	"static":   {OpStatic, none, none, none, nil},
	"invalid":  {OpInvalid, none, required, none, []string{"when"}},
	"use":      {OpUse, none, none, none, nil},
	"noreturn": {OpNoReturn, none, none, none, nil},
	"grad":     {OpGrad, none, required, none, nil},
	"flush":    {OpFlush, none, none, none, nil},
	"detach":   {OpDetach, none, required, none, nil},
	"backward": {OpBackward, none, optional, none, nil},
	"zerograd": {OpZeroGrad, none, none, none, nil},
	"step":     {OpStep, none, none, none, nil},
	"freeze":   {OpFreeze, none, none, none, nil},
}

// String is the verb that stands for op in a directive.
func (op Op) String() string {
	for name, v := range verbs {
		if v.op == op {
			return name
		}
	}
	return "none"
}

// A word is one argument of a directive: a plain word or key=value.
type word struct {
	text string // the word, or the key
	val  string
	kv   bool
	pos  token.Position
}

func (w word) String() string {
	if w.kv {
		return w.text + "=" + strconv.Quote(w.val)
	}
	return strconv.Quote(w.text)
}

// A directive is one //gpumem: line.
type directive struct {
	verb  string
	words []word
	pos   token.Position
}

// splitDirective splits the text of a comment. It is not ok for any other
// comment. Two slashes after a space start a remark, as anywhere in Go.
func splitDirective(text string, pos token.Position, errs *ErrorList) (d directive, ok bool) {
	body, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return d, false // a plain comment
	}
	d.pos = pos
	n := strings.IndexAny(body, " \t\r\n")
	if n < 0 {
		n = len(body)
	}
	d.verb = body[:n]
	for i := n; i < len(body); {
		if strings.IndexByte(" \t\r\n", body[i]) >= 0 {
			i++
			continue
		}
		if strings.HasPrefix(body[i:], "//") {
			break // a remark
		}
		w := word{pos: pos}
		w.pos.Column += len(prefix) + i
		w.pos.Offset += len(prefix) + i
		start := i
		for i < len(body) && strings.IndexByte(" \t\r\n\"=", body[i]) < 0 {
			i++
		}
		w.text = body[start:i]
		if i < len(body) && body[i] == '=' {
			w.kv = true
			i++
			start = i
			for i < len(body) && strings.IndexByte(" \t\r\n\"", body[i]) < 0 {
				i++
			}
			w.val = body[start:i]
		}
		if i < len(body) && body[i] == '"' {
			quoted, err := strconv.QuotedPrefix(body[i:])
			if err != nil || i > start {
				errs.add(w.pos, strconv.Quote(body[start:]), `a word, or a value in double quotes as in noun="device memory"`)
				return d, false
			}
			s, _ := strconv.Unquote(quoted) // cannot fail: QuotedPrefix checked it
			if w.kv {
				w.val = s
			} else {
				w.text = s
			}
			i += len(quoted)
		}
		d.words = append(d.words, w)
	}
	return d, true
}

// effects parses a directive of the verbs table in the scope of a signature.
func (sc *scope) effects(d directive, v verb, errs *ErrorList) []Effect {
	e := Effect{Op: v.op, Pos: d.pos}
	var places []Place
	var hasOf bool
	failed := len(*errs)
	for _, w := range d.words {
		if w.kv || slices.Contains(v.keys, w.text) {
			if w.kv && w.text == "of" && v.of != none {
				p, want := sc.place(w.val)
				if want != "" {
					errs.add(w.pos, w.String(), want)
				}
				e.Of, hasOf = p, true
				continue
			}
			sc.option(&e, v, d.verb, w, errs)
			continue
		}
		p, want := sc.place(w.text)
		switch {
		case want == "" && v.place != none:
			places = append(places, p)
		case v.class != none && e.Class == nil && len(places) == 0 && isClassName(w.text):
			e.Class = &Class{Name: w.text}
		case v.place == none:
			errs.add(w.pos, w.String(), "nothing more after "+d.verb)
		case v.class != none && e.Class == nil && len(places) == 0:
			errs.add(w.pos, w.String(), "a class as in cuda.mem, or "+want)
		default:
			errs.add(w.pos, w.String(), want)
		}
	}
	if len(*errs) > failed {
		return nil // what follows would only repeat the cause
	}
	switch {
	case len(places) == 0 && v.place == required:
		errs.add(d.pos, d.verb+" without a place", sc.places())
		return nil
	case v.of == required && !hasOf:
		errs.add(d.pos, d.verb+" without of=PLACE", "of= and "+sc.places())
		return nil
	case len(places) == 0 && e.Class == nil && (v.op == OpAcquire || v.op == OpRelease):
		errs.add(d.pos, d.verb+" without a place", "a class as in nvml.session, or "+sc.places())
		return nil
	case len(places) == 0:
		return []Effect{e}
	}
	all := make([]Effect, len(places))
	for i, p := range places {
		all[i] = e
		all[i].Place = p
	}
	return all
}

// option parses a key=value or a flag of an effect.
func (sc *scope) option(e *Effect, v verb, verbName string, w word, errs *ErrorList) {
	flags := []string{"owned", "advisory", "partial", "keyed"}
	switch {
	case !slices.Contains(v.keys, w.text):
		errs.add(w.pos, w.String(), "one of the options of "+verbName+": "+v.options())
		return
	case w.kv == slices.Contains(flags, w.text):
		want := w.text + "=VALUE"
		if !w.kv {
			want = w.text + "=VALUE, as " + w.text + " needs a value"
		} else {
			want = w.text + " without a value"
		}
		errs.add(w.pos, w.String(), want)
		return
	}
	var want string
	switch w.text {
	case "when":
		e.When, want = sc.cond(w.val)
	case "release":
		e.Release, want = splitList(w.val)
	case "again":
		e.Again, want = oneOf(w.val, againNames)
	case "nil":
		e.NilSafe, want = oneOf(w.val, map[string]bool{"ok": true, "crash": false})
	case "owned":
		e.Owned = true
	case "advisory":
		e.Advisory = true
	case "partial":
		e.Partial = true
	case "keyed":
		e.Keyed = true
	}
	if want != "" {
		errs.add(w.pos, w.String(), want)
	}
}

// options lists what may follow the places of v, for messages.
func (v verb) options() string {
	opts := slices.Clone(v.keys)
	if v.of != none {
		opts = append(opts, "of")
	}
	if len(opts) == 0 {
		return "none"
	}
	slices.Sort(opts)
	return strings.Join(opts, ", ")
}

// success parses the success directive. In the header of a stub file (typ not
// nil) it may be limited to functions that have a result of a type.
func (d directive) success(results []Param, typ *string, errs *ErrorList) (s Success, result int, value int64) {
	const want = "error, true, nonnil, always or status=NUMBER"
	kinds := map[string]Success{"error": SuccessError, "true": SuccessTrue, "nonnil": SuccessNonNil, "always": SuccessAlways}
	for _, w := range d.words {
		switch {
		case !w.kv && s == SuccessAuto && kinds[w.text] != SuccessAuto:
			s = kinds[w.text]
		case w.kv && w.text == "status" && s == SuccessAuto:
			v, err := strconv.ParseInt(w.val, 0, 64)
			if err != nil {
				errs.add(w.pos, w.String(), "status=NUMBER, the value on success")
				return
			}
			s, value = SuccessStatus, v
		case w.kv && w.text == "result" && typ == nil && s == SuccessStatus:
			i, err := strconv.Atoi(w.val)
			if err != nil || i < 0 || i >= len(results) {
				errs.add(w.pos, w.String(), fmt.Sprintf("result=N with N below %d, the number of results", len(results)))
				return
			}
			result = i
		case w.kv && w.text == "type" && typ != nil && s == SuccessStatus:
			*typ = w.val
		default:
			errs.add(w.pos, w.String(), want)
			return
		}
	}
	switch {
	case s == SuccessAuto:
		errs.add(d.pos, "success without a convention", want)
	case s == SuccessStatus && typ == nil && len(results) == 0:
		errs.add(d.pos, "success status= on a function without results", "a function with a status result")
	case s == SuccessStatus && typ != nil && *typ == "":
		errs.add(d.pos, "success status= in a file header without type=", "type=NAME, the type of the status results")
	}
	return s, result, value
}
