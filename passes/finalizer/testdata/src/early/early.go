// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package early

import (
	"runtime"

	"example.com/dev"
)

type tensor struct{ h dev.Handle }

func free(h dev.Handle) { dev.Close(h) }

func parameter(t *tensor) {
	runtime.AddCleanup(&t, free, t.h) // want `cleanup is set on the variable t, not on what it points at, and runs while that is in use: drop the & \(GM402\)`
}

func parameterRight(t *tensor) {
	runtime.AddCleanup(t, free, t.h)
}

func local() *tensor {
	t := &tensor{h: dev.Open()}
	runtime.AddCleanup(&t, free, t.h) // want `cleanup is set on the variable t`
	return t
}

func copied() tensor {
	t := tensor{h: dev.Open()}
	runtime.SetFinalizer(&t, func(t *tensor) { dev.Close(t.h) }) // want `finalizer is set on the local variable t and runs while its copy is in use: return a pointer \(GM402\)`
	return t
}

func pointer() *tensor {
	t := tensor{h: dev.Open()}
	runtime.SetFinalizer(&t, func(t *tensor) { dev.Close(t.h) })
	return &t
}

type holder struct{ p *dev.Handle }

// The variable is the object.
func variable() holder {
	h := dev.Open()
	runtime.SetFinalizer(&h, func(h *dev.Handle) { dev.Close(*h) })
	return holder{&h}
}

type list struct{ all []tensor }

func (l *list) add() {
	t := tensor{h: dev.Open()}
	runtime.SetFinalizer(&t, func(t *tensor) { dev.Close(t.h) }) // want `finalizer is set on the local variable t`
	l.all = append(l.all, t)
}
