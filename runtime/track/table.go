// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package track

import (
	"encoding/json"
	"fmt"
	"slices"
)

// A Table says what the numbers in instrumented code stand for. The
// instrumentation writes it; it travels as JSON in a generated file.
type Table struct {
	Classes   []Class           `json:"classes,omitempty"`
	Funcs     []Func            `json:"funcs,omitempty"`
	Points    []string          `json:"points,omitempty"`    // IDs of injection points
	Loops     []Frame           `json:"loops,omitempty"`     // file and line of each loop
	Libraries map[string]string `json:"libraries,omitempty"` // package path → the library it belongs to
}

// A Class is one kind of resource.
type Class struct {
	Name     string `json:"name"`
	Accepts  []int  `json:"accepts,omitempty"`  // classes that a release of this one may release
	Process  bool   `json:"process,omitempty"`  // one of the process, no leak of a test
	Backstop bool   `json:"backstop,omitempty"` // a finalizer or the collector frees a forgotten one
	AgainOK  bool   `json:"again,omitempty"`    // a second release is harmless
	Inferred bool   `json:"inferred,omitempty"` // nobody has declared it: its functions are known by their names
	Reused   bool   `json:"reused,omitempty"`   // a released handle may come back in a way that nobody sees
}

// A Func is a modelled function. Its places count the values given to F first,
// then those given to Out.
type Func struct {
	Name    string   `json:"name"`          // as in gocv.io/x/gocv.NewMat or C.cudaMalloc
	Library string   `json:"lib,omitempty"` // its library; empty for the user's own code and for C
	Raw     bool     `json:"raw,omitempty"` // C, or a variable: F and Out stand in a literal around the call
	Ins     int      `json:"ins"`           // how many values F is given
	Success Success  `json:"success,omitempty"`
	Result  int      `json:"result,omitempty"` // the place that tells success
	Value   int64    `json:"value,omitempty"`  // SuccessStatus: what it is then
	Effects []Effect `json:"effects"`

	skip    int  // for runtime.Callers in F and Out: the function that they stand in
	follows bool // it returns or is given what will release what it acquires
}

// Success says how a function tells that it succeeded.
type Success uint8

// The ways to tell.
const (
	SuccessAlways Success = iota // it cannot fail, or the resource itself tells
	SuccessNil                   // the value at Result is nil
	SuccessStatus                // it equals Value
	SuccessTrue                  // it is true
)

// Op is what a call does to a place.
type Op uint8

// The operations. What a model says beyond these changes nothing in a ledger.
const (
	OpUse     Op = iota // the resource must be there
	OpAcquire           // the place holds a new one at the exit
	OpRelease           // it is gone from the entry on
	OpConsume           // the callee has it from the entry on
	OpSeen              // the place holds one that is there, whoever owns it
	OpAlias             // the place is another handle of Of
	OpFill              // nil elements are filled
	OpCleanup           // the place holds a func that releases what the call acquired
	OpCancel            // the place holds a context that releases it
	OpSweep             // everything of the class may be gone
	OpUnsure            // what is at the place may or may not be gone
)

// When says when an effect takes place.
type When uint8

// The conditions.
const (
	WhenSuccess   When = iota // the call succeeded; for entry effects: always
	WhenAlways                // whatever the call says
	WhenOnSuccess             // as a condition of an entry effect: taken back if the call fails
	WhenFailure               // the call failed
	WhenTrue                  // the bool at Arg is true (a variadic one: given and true)
	WhenFalse                 // it is not
	WhenEach                  // for the elements whose place in the []bool at Arg is true
	WhenMaybe                 // or not
)

// An Effect is what a call does to one place.
type Effect struct {
	Op       Op    `json:"op"`
	Class    int   `json:"class"` // -1 if the model names none
	Place    Place `json:"place"`
	Of       Place `json:"of"` // OpAlias
	When     When  `json:"when,omitempty"`
	Arg      int   `json:"arg,omitempty"`   // place of the condition's bool
	AgainOK  bool  `json:"again,omitempty"` // OpRelease: a second one is harmless
	Advisory bool  `json:"adv,omitempty"`   // OpRelease: it may do nothing
}

// A Place is a part of a call's values.
type Place struct {
	Root  int      `json:"root"` // -1: no place, the class as such
	Deref bool     `json:"deref,omitempty"`
	Path  []string `json:"path,omitempty"`  // ".Field" or "[]"
	Value bool     `json:"value,omitempty"` // the handle is the struct, not the pointer to it
}

func (l *ledger) load(text string) error {
	var t Table
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return fmt.Errorf("the table of instrumented functions: %w", err)
	}
	for i := range t.Funcs {
		t.Funcs[i].prepare()
	}
	l.table = t
	l.lib = t.Libraries
	l.inject = -1
	for i, id := range t.Points {
		if id == l.injectID {
			l.inject = i
		}
	}
	return nil
}

// prepare computes what each call would have to find out.
func (f *Func) prepare() {
	f.skip = 2 // runtime.Callers itself and F, or Out
	if f.Raw {
		f.skip++ // the literal around the call
	}
	f.follows = slices.ContainsFunc(f.Effects, func(e Effect) bool { return e.Op == OpCleanup || e.Op == OpCancel })
}

func (l *ledger) className(class int) string { return l.class(class).Name }

// noClass is that of effects whose model names none.
var noClass Class

func (l *ledger) class(class int) *Class {
	if class < 0 || class >= len(l.table.Classes) {
		return &noClass
	}
	return &l.table.Classes[class]
}

// releases reports whether a release of one class may release one of another.
func (l *ledger) releases(release, of int) bool {
	if release < 0 || release == of {
		return true
	}
	for _, c := range l.class(release).Accepts {
		if c == of {
			return true
		}
	}
	return false
}
