// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"strconv"
	"strings"
)

// Directives returns the effects of f as directives would say them, without
// the //gpumem: before each: "acquire cuda.mem *devPtr". Reading them again
// gives the same effects.
func (f *Func) Directives() []string {
	var list []string
	for _, e := range f.Effects {
		list = append(list, f.directive(e))
	}
	if s := f.success(); s != "" {
		list = append(list, s)
	}
	return list
}

func (f *Func) directive(e Effect) string {
	words := []string{e.Op.String()}
	if e.Class != nil {
		words = append(words, e.Class.Name)
	}
	if e.Place.Kind != PlaceNone {
		words = append(words, f.place(e.Place))
	}
	if e.Of.Kind != PlaceNone {
		words = append(words, "of="+f.place(e.Of))
	}
	if when := f.cond(e.When); when != "" {
		words = append(words, "when="+when)
	}
	if len(e.Release) > 0 {
		words = append(words, "release="+strings.Join(e.Release, ","))
	}
	for name, again := range againNames {
		if e.Again == again && again != AgainUnknown {
			words = append(words, "again="+name)
		}
	}
	if e.NilSafe {
		words = append(words, "nil=ok")
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"owned", e.Owned}, {"advisory", e.Advisory}, {"partial", e.Partial}, {"keyed", e.Keyed}} {
		if flag.set {
			words = append(words, flag.name)
		}
	}
	return strings.Join(words, " ")
}

// place is the text of p with the names of f's parameters. One without a name
// has the text that only messages use.
func (f *Func) place(p Place) string {
	text := p.String()
	if p.Kind != PlaceParam || p.Index >= len(f.Params) || f.Params[p.Index].Name == "" {
		return text
	}
	return strings.Replace(text, "param"+strconv.Itoa(p.Index), f.Params[p.Index].Name, 1)
}

func (f *Func) cond(c Cond) string {
	not := ""
	if c.Negate {
		not = "!"
	}
	switch c.Kind {
	case CondAlways:
		return "always"
	case CondSuccess:
		return "success"
	case CondFailure:
		return "failure"
	case CondMaybe:
		return "maybe"
	case CondArg:
		return not + f.place(Place{Kind: PlaceParam, Index: c.Arg})
	case CondResult:
		return not + "result" + strconv.Itoa(c.Arg)
	case CondElems:
		return "each:" + f.place(Place{Kind: PlaceParam, Index: c.Arg})
	}
	return ""
}

func (f *Func) success() string {
	switch f.Success {
	case SuccessError:
		return "success error"
	case SuccessStatus:
		return fmt.Sprintf("success status=%d result=%d", f.StatusValue, f.StatusResult)
	case SuccessTrue:
		return "success true"
	case SuccessNonNil:
		return "success nonnil"
	case SuccessAlways:
		return "success always"
	}
	return ""
}
