// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// The verdicts about what is kept too long.
const (
	Kept      Kind = iota + 32 // GM201: nothing ever takes it out
	Evicted                    // GM202: taken out without release
	Grows                      // GM203: one more each time around
	HeldOn                     // GM204: a goroutine or func that never lets go
	Pinned                     // GM205: a view that keeps its parent
	PushedOut                  // GM202: pushed out by an insertion, where another package's cache is full
)

// keepScan looks at the package's long-lived containers: who puts resources in,
// who takes them out, what bounds them. Unlike the runs of the engine it sees
// a whole package at once, and no paths.
//
// Three things must come together before something is reported: the container
// outlives the call that fills it, the call happens again and again, and
// nothing in sight takes an element out, releases it or limits their number. An
// owner that is filled while it is built and emptied by its Close is none of
// this rule's business.
type keepScan struct {
	e         *engine
	held      map[keepPlace]*held
	order     []*held
	elems     map[types.Type]keepElem
	closures  map[*ssa.Function]*ssa.MakeClosure
	callers   map[*ssa.Function][]ssa.CallInstruction
	taken     map[*ssa.Function]bool // its value is used other than to call it
	open      map[*ssa.Function][]openAdd
	lists     map[*ssa.Function][]*held     // container/list: whose elements a function reads
	listReads map[*ssa.Function][]ssa.Value // and the reads
	twins     map[*held][]*held             // filled with the same values
	forEver   map[*ssa.Function]bool        // functions that never end
	chans     map[keepPlace]chanUse         // channels in places
	funcHeld  map[keepPlace]*held           // containers of funcs that hold resources
	kept      []*held                       // the same, in order

	keepFacts map[*types.Func]*KeepFact                // of other packages
	fieldKeys map[*types.Package]map[*types.Var]string // see placeKey
	foreign   map[string]*types.Var                    // package variables of others, by their key
	told      map[keepPlace]bool                       // reported as growing
	toldDrop  map[*keepEvent]bool                      // reported as losing
	removals  map[*types.Func]bool                     // methods of others that are named like one
	crossed   bool                                     // functions of others have facts
	below     map[string]HeldFact                      // what is known in the packages below
	anything  bool                                     // a package of containers: fields of type any count
}

// held is one place and all that the package does with it.
type held struct {
	keepPlace
	name   string // for messages, from its first use: c.mats
	events []*keepEvent
	adds   []*keepEvent

	loads    []ssa.Value     // reads of the whole container
	reads    []ssa.Value     // elements that methods of it gave out
	released []*ssa.Function // functions that release its elements
	escapes  bool            // handed to code that cannot be seen
	gives    []*ssa.Function // functions that hand elements out

	calledBack []*ssa.Function // of released: those that leave it to a func which they were given
	beyond     bool            // an object of another package: see private
	hooked     bool            // which was given a func
	sized      bool            // and a number: how many there can be, or for how long
	away       HeldFact        // what other packages do to it
}

// keepOp is what one instruction does to a container.
type keepOp uint8

const (
	keepAdd    keepOp = iota // puts an element in
	keepDrop                 // takes elements out: delete, a cut, a receive
	keepClear                // empties it, or puts another container in its place
	keepSlot                 // assigns to an element in place
	keepFilter               // replaces it by some of its own elements
	keepGive                 // hands elements out; only in facts
)

// keepEvent is one such instruction.
type keepEvent struct {
	op    keepOp
	ref   keepRef
	fn    *ssa.Function
	at    ssa.Instruction
	key   ssa.Value // of a map or an index, if there is one
	elem  ssa.Value // what is put in
	typ   types.Type
	what  string // for messages: "delete"
	takes bool   // the instruction yields the element
	set   bool   // the element is the key
	slice bool   // appended, not keyed
	quiet bool   // shows that elements are taken out, and is not judged itself

	pos    token.Pos  // if not that of the instruction
	outer  keepRef    // the variable that holds the object with the container
	within *keepEvent // what the called method does
	fact   *KeepOp    // what is known of the called function of another package
}

func newKeepScan(e *engine) *keepScan {
	return &keepScan{
		e: e, held: map[keepPlace]*held{}, elems: map[types.Type]keepElem{},
		closures: map[*ssa.Function]*ssa.MakeClosure{}, open: map[*ssa.Function][]openAdd{},
		forEver: map[*ssa.Function]bool{}, chans: map[keepPlace]chanUse{}, funcHeld: map[keepPlace]*held{},
		lists: map[*ssa.Function][]*held{}, listReads: map[*ssa.Function][]ssa.Value{},
		keepFacts: map[*types.Func]*KeepFact{}, fieldKeys: map[*types.Package]map[*types.Var]string{},
		foreign: map[string]*types.Var{}, told: map[keepPlace]bool{}, removals: map[*types.Func]bool{}, toldDrop: map[*keepEvent]bool{},
	}
}

// keeps finds everything that is kept too long.
func (e *engine) keeps() []Verdict {
	k := newKeepScan(e)
	var list []Verdict
	k.scan()
	list = append(list, k.grown()...)
	list = append(list, k.dropped()...)
	list = append(list, k.droppedAcross()...)
	k.exportKept()
	e.held = k.heldFacts()
	list = append(list, k.goroutines()...)
	list = append(list, k.funcs()...)
	list = append(list, k.views()...)
	list = append(list, k.limits()...)
	return list
}

// withoutKept drops the findings that say the same of the same acquisition:
// kept in a field that cannot release it is the lesser half of the story.
func withoutKept(list, kept []Verdict) []Verdict {
	type at struct {
		fn string
		p  int
	}
	told := map[at]bool{}
	for _, v := range kept {
		if v.Kind == Kept || v.Kind == Grows {
			told[at{v.Function, int(v.Acquired)}] = true
		}
	}
	out := list[:0]
	for _, v := range list {
		if v.Kind == OwnerLacks && told[at{v.Function, int(v.Acquired)}] {
			continue
		}
		out = append(out, v)
	}
	return append(out, kept...)
}

func (k *keepScan) at(p keepPlace) *held {
	h := k.held[p]
	if h == nil {
		h = &held{keepPlace: p}
		k.held[p] = h
		k.order = append(k.order, h)
	}
	return h
}

func (k *keepScan) event(ev *keepEvent) {
	h := k.at(ev.ref.place)
	h.events = append(h.events, ev)
	if ev.op == keepAdd {
		h.adds = append(h.adds, ev)
	}
	if h.name == "" {
		h.name = k.placeName(ev)
	}
}

// placeName is the container as the function at hand spells it.
func (k *keepScan) placeName(ev *keepEvent) string {
	p := ev.ref.place
	if p.cell != nil {
		return p.cell.Comment
	}
	if !p.obj.IsField() {
		if p.obj.Pkg() != nil && p.obj.Pkg() != k.e.pass.Pkg {
			return p.obj.Pkg().Name() + "." + p.obj.Name()
		}
		return p.obj.Name()
	}
	base := ""
	v := ev.ref.base
	for i := 0; i < 4 && v != nil; i++ {
		switch x := k.origin(v).(type) {
		case *ssa.Parameter:
			return x.Name() + base + "." + p.obj.Name()
		case *ssa.Global:
			return x.Name() + base + "." + p.obj.Name()
		case *ssa.FieldAddr:
			base = "." + fieldName(x.X.Type(), x.Field) + base
			v = x.X
		case *ssa.UnOp:
			v = x.X
		default:
			v = nil
		}
	}
	return p.obj.Name()
}

// callersOf are the calls of fn in this package.
func (k *keepScan) callersOf(fn *ssa.Function) []ssa.CallInstruction {
	if k.callers == nil {
		k.findCallers()
	}
	return k.callers[fn]
}

func (k *keepScan) findCallers() {
	k.callers = map[*ssa.Function][]ssa.CallInstruction{}
	k.taken = map[*ssa.Function]bool{}
	var ops [16]*ssa.Value
	for _, fn := range k.e.funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				var callee ssa.Value
				if call, ok := in.(ssa.CallInstruction); ok {
					callee = call.Common().Value
					if f := call.Common().StaticCallee(); f != nil {
						if o := f.Origin(); o != nil {
							f = o
						}
						k.callers[f] = append(k.callers[f], call)
					}
				}
				if _, ok := in.(*ssa.DebugRef); ok {
					continue
				}
				for _, op := range in.Operands(ops[:0]) {
					if *op == callee {
						continue
					}
					switch f := (*op).(type) {
					case *ssa.Function:
						k.taken[boundOf(f, k.e)] = true
					}
				}
			}
		}
	}
}

// boundOf is the method behind a bound method value.
func boundOf(f *ssa.Function, e *engine) *ssa.Function {
	if obj, ok := f.Object().(*types.Func); ok {
		if g := e.pkg.Prog.FuncValue(obj); g != nil {
			return g
		}
	}
	return f
}
