// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package never

import (
	"runtime"

	"example.com/dev"
)

type value struct {
	h     dev.Handle
	inner *inner
}

func (v *value) Close() {
	dev.Close(v.h)
	runtime.SetFinalizer(v, nil)
}

type inner struct {
	h     dev.Handle
	owner *value
}

func closeHandle(h dev.Handle) { dev.Close(h) }

func captures() *value {
	v := &value{h: dev.Open()}
	runtime.AddCleanup(v, func(struct{}) { v.Close() }, struct{}{}) // want `cleanup of v captures v: it would never run, and AddCleanup panics since Go 1.26: pass what it frees as the argument \(GM402\)`
	return v
}

func argument() *value {
	v := &value{h: dev.Open()}
	runtime.AddCleanup(v, closeHandle, v.h)
	return v
}

func finalizerCaptures() *value {
	v := &value{h: dev.Open()}
	runtime.SetFinalizer(v, func(*value) { v.Close() }) // want `finalizer of v captures v, which keeps it alive, and never runs: use the finalizer's own argument \(GM402\)`
	return v
}

func finalizerArgument() *value {
	v := &value{h: dev.Open()}
	runtime.SetFinalizer(v, func(v *value) { v.Close() })
	return v
}

func methodExpression() *value {
	v := &value{h: dev.Open()}
	runtime.SetFinalizer(v, (*value).finish)
	return v
}

func (v *value) finish() { dev.Close(v.h) }

func pointsBack() *value {
	v := &value{}
	v.inner = &inner{h: dev.Open(), owner: v}
	runtime.AddCleanup(v, func(in *inner) { dev.Close(in.h) }, v.inner) // want `cleanup of v has an argument that leads to v, and never runs: pass only the handle \(GM402\)`
	return v
}

func pointsBackLater() *value {
	v := &value{}
	in := &inner{h: dev.Open()}
	v.inner = in
	in.owner = v
	runtime.AddCleanup(v, func(in *inner) { dev.Close(in.h) }, in) // want `cleanup of v has an argument that leads to v`
	return v
}

func pointsNowhere() *value {
	v := &value{}
	in := &inner{h: dev.Open()}
	v.inner = in
	runtime.AddCleanup(v, func(in *inner) { dev.Close(in.h) }, in)
	return v
}

type embeds struct {
	part
	name string
}

type part struct{ h dev.Handle }

func interior() *embeds {
	e := &embeds{part: part{h: dev.Open()}}
	runtime.AddCleanup(e, func(p *part) { dev.Close(p.h) }, &e.part) // want `cleanup of e has an argument that leads to e`
	return e
}

func itself() *value {
	v := &value{h: dev.Open()}
	runtime.AddCleanup(v, func(v *value) { dev.Close(v.h) }, v) // want `cleanup of v has an argument that leads to v`
	return v
}

type pair struct {
	v *value
	h dev.Handle
}

func insideStruct() *value {
	v := &value{h: dev.Open()}
	runtime.AddCleanup(v, func(p pair) { dev.Close(p.h) }, pair{v, v.h}) // want `cleanup of v has an argument that leads to v`
	return v
}

func capturesOther(log func(string)) *value {
	v := &value{h: dev.Open()}
	name := "v"
	runtime.AddCleanup(v, func(h dev.Handle) { log(name); dev.Close(h) }, v.h)
	return v
}

func reassigned() *value {
	v := &value{h: dev.Open()}
	h := v.h
	runtime.SetFinalizer(v, func(*value) { dev.Close(h) })
	return v
}

type pool struct{ free []*value }

func (p *pool) put(v *value) { p.free = append(p.free, v) }

// A method value of another object.
func (p *pool) get() *value {
	v := &value{h: dev.Open()}
	runtime.SetFinalizer(v, p.put)
	return v
}

var global value

func onGlobal() {
	runtime.SetFinalizer(&global, (*value).finish) // want `finalizer of global never runs: it is a package variable, which lives as long as the program \(GM402\)`
}
