// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package rules says what libraries do with GPU memory (the models, one stub
// file a library) and what gpumemlint reports (the catalogue of rules).
//
// A model is a Go declaration annotated with //gpumem: directives. The same
// directives may stand on a user's own functions and types. See
// docs/models.md for the language and parse.go for its grammar.
package rules

import (
	"go/token"
	"regexp"
)

// Op is what a directive says that a call does to one resource.
type Op uint8

// The verbs of the directive language. The idiom numbers are those of the
// inventory in docs/models.md.
const (
	OpNone     Op = iota
	OpAcquire     // the place holds a new owned resource after the call (A1-A13)
	OpRelease     // the resource at the place is released (R1-R3, R6, R10, R13)
	OpConsume     // ownership moves into the callee: the caller must not release (T1-T5)
	OpBorrow      // the place holds a reference that the caller must not release (B1, B6, A11)
	OpView        // the place aliases part of Of: owned header (B2) or not (B3), see Effect.Owned
	OpAlias       // the place is the same resource as Of (B4, B5)
	OpKeep        // the callee keeps a reference; the caller still owns and must outlive it (T7)
	OpRetain      // the callee takes its own reference; the caller still owns (T8)
	OpGive        // ownership comes back out of a container (T6)
	OpCleanup     // the place holds a func that releases what this call acquired (R8)
	OpCancel      // released when the context given at the place is cancelled (R9)
	OpAdopt       // the place (a raw pointer) is owned by the result from now on (A10)
	OpFill        // nil slots of the slice at the place are filled with owned elements (A5)
	OpArena       // the place is an arena: what it makes dies with it (S1)
	OpPin         // mark the resource as kept (S2)
	OpUnpin       // undo OpPin (S2)
	OpSweep       // release everything unpinned (S2, S3)
	OpAsync       // the place is used until the stream named by Of is synchronised (S6)
	OpSync        // the stream at the place is synchronised (S6)
	OpThread      // bound to the OS thread or goroutine (S7)
	OpOrder       // the place must be released before Of (S5)
	OpNoScope     // looks like a memory scope but frees nothing (S4)
	OpNoGrad      // opens a no-grad scope
	OpStatic      // a package variable that is never released (B7)
	OpInvalid     // partial invalidation: contents gone, handle still owned (R14, R6)
	OpUse         // explicitly nothing: the arguments are only used
	OpNoReturn    // does not return
	OpGrad        // the place carries an autograd graph
	OpFlush       // empties the allocator's cache
	OpDetach      // the place carries no graph, whatever it was made from
	OpBackward    // gradients are computed from the graph of the place
	OpZeroGrad    // sets gradients to zero
	OpStep        // changes the weights by their gradients
	OpFreeze      // no weight of the receiver carries a graph from now on
)

// PlaceKind says which part of a call a Place names.
type PlaceKind uint8

// The roots that a place can start from.
const (
	PlaceNone PlaceKind = iota
	PlaceResult
	PlaceParam // a parameter, by index; the receiver is PlaceRecv
	PlaceRecv
)

// Place is a part of a call's inputs or outputs: a root and a path.
//
// Text form: result0, NAME of a parameter or of the receiver (or recv), a
// leading * for what a pointer parameter points at (an out-parameter), and a
// suffix of steps: .Field; [] for the elements of a slice, map or channel, or
// for what an object keeps; <N> for the N-th value that a func at the place
// passes to its callback, or that a callback parameter is called with. So:
// result0[], *devPtr, result0.Data, outputs[], accessFn<0>.
type Place struct {
	Kind  PlaceKind
	Index int      // result or parameter index, receiver not counted
	All   bool     // result*: every result of a resource type
	Deref bool     // leading *: the pointee
	Path  []string // ".Name", "[]" or "<0>"
}

// CondKind says when an effect takes place.
type CondKind uint8

// The conditions an effect can have.
const (
	CondDefault CondKind = iota // acquire: when the call succeeded; others: always
	CondAlways                  // even if the call failed (A9)
	CondSuccess                 // only if the call succeeded
	CondFailure                 // only if the call failed
	CondArg                     // the bool (or variadic bool) parameter Arg is true (A6, T2)
	CondResult                  // the bool result Arg is true (A7)
	CondMaybe                   // may or may not happen (T5, R14): never a definite finding
	CondElems                   // per element, where the parallel slice parameter Arg is true (T3)
)

// Cond is the condition of an effect.
type Cond struct {
	Kind   CondKind
	Arg    int  // index for CondArg, CondResult and CondElems
	Negate bool // when=!name
}

// Success says how a function tells that it succeeded.
type Success uint8

// The success conventions (A1).
const (
	SuccessAuto   Success = iota // by the signature: error, then status, then ok bool, then non-nil
	SuccessError                 // last result, an error, is nil
	SuccessStatus                // the integer result StatusResult equals StatusValue
	SuccessTrue                  // the last result, a bool, is true
	SuccessNonNil                // the acquired value itself is neither nil nor 0
	SuccessAlways                // cannot fail, or panics
)

// Again is what a second release does.
type Again uint8

// The classes of idempotency (R11).
const (
	AgainUnknown Again = iota
	AgainOK            // harmless
	AgainError         // returns an error
	AgainCrash         // memory error or panic
)

// Backstop says what frees a forgotten resource (S8). It decides severity.
type Backstop uint8

// The levels of backstop.
const (
	BackstopNone   Backstop = iota // nothing: a forgotten one is lost
	BackstopLate                   // a finalizer, which the library tells users not to rely on
	BackstopGC                     // the garbage collector; explicit release is optional
	BackstopGCOnly                 // the garbage collector; there is no explicit release
	BackstopBroken                 // a finalizer that cannot run
)

// Mem is the memory that a class pins.
type Mem uint8

// The kinds of memory.
const (
	MemUnknown Mem = iota
	MemDevice
	MemHost   // native memory outside Go's heap
	MemHandle // a driver object
)

// Class is one kind of resource. A release must name the class, or a class
// listed in its Accepts, of what it releases.
type Class struct {
	Name     string // "cuda.mem", "ort.tensor"
	Noun     string // for messages: "device memory", "tensor"
	Verb     string // past participle for messages: "freed", "destroyed"
	Mem      Mem
	Backstop Backstop
	Again    Again
	NilSafe  bool     // releasing nil is harmless
	Process  bool     // process-wide: live at exit of main is right (R12)
	Optional bool     // release is advisory (R7): never a leak
	Ignore   bool     // the result is normally ignored (A12): no GM103
	Pool     string   // S9: "mandatory" or "optional"
	Accepts  []string // other classes that a release of this class may release
	Before   []string // classes that must outlive it, whichever instance is in force
	Source   string   // link to where the library says so
	Pos      token.Position
}

// Type says that a Go type is a handle of a class.
type Type struct {
	Key      string   // "gocv.io/x/gocv.Mat", no pointer star, no type arguments
	Class    *Class   //
	Releases []string // methods that release it, the preferred one first
	Owned    bool     // functions of its package that return it return owned ones unless a model says otherwise
	ByValue  bool     // a struct handle: the resource is the cell that holds it
	Source   string
	Pos      token.Position
}

// Effect is one directive on a function: what happens to one place.
type Effect struct {
	Op       Op
	Class    *Class // acquire and release; nil means the class of the place's type
	Place    Place
	Of       Place // second place of view, alias, keep, async, order, adopt
	When     Cond
	Owned    bool     // view: has its own header that must be released (B2)
	Release  []string // acquire: how this one is released, chosen by origin (R5): "Recycle", "C.free"
	Again    Again    // release: overrides the class
	NilSafe  bool     // release: overrides the class
	Advisory bool     // release: a no-op or optional (R7)
	Partial  bool     // release: first of two levels (R6), the handle remains
	Keyed    bool     // release: found by another object, not by the handle (R2)
	Pos      token.Position
}

// Func is the model of a function, a method, a package variable of function
// type, or a C function.
type Func struct {
	// Key is "pkg/path.Name", "(pkg/path.Type).Method" without pointer star
	// or type arguments, or "C.name".
	Key     string
	Names   []string       // further names of the same: spellings, or Type.Method
	Match   *regexp.Regexp // non-nil: a pattern for many functions; Key then ends in "._"
	Recv    Param          // Type is empty if there is no receiver
	Params  []Param        // as the stub declares them, receiver not counted
	Results []Param
	Effects []Effect

	Success      Success
	StatusResult int   // SuccessStatus: which result
	StatusValue  int64 // SuccessStatus: its value on success

	Source string
	Pos    token.Position
}

// Param is a parameter or result as a stub writes it.
type Param struct {
	Name string
	Type string // Go source of the type
}
