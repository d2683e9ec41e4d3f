// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Package frames keeps frames for others, in variables and in objects.
package frames

import "gocv.io/x/gocv"

// Open is filled by others, and emptied here.
var Open []gocv.Mat

// Trim closes all.
func Trim() {
	for i := range Open {
		Open[i].Close()
	}
	Open = nil
}

// Left is filled by others, and nobody empties it.
var Left []gocv.Mat

// Swept is filled by one package and emptied by another.
var Swept = map[string]gocv.Mat{}

var byUser = map[string]gocv.Mat{}

// Remember takes a frame over, until Forget.
func Remember(user string, m gocv.Mat) { byUser[user] = m }

// Forget closes the frame of a user.
func Forget(user string) {
	if m, ok := byUser[user]; ok {
		m.Close()
	}
	delete(byUser, user)
}

// Book owns its frames.
type Book struct {
	Pages map[string]gocv.Mat
	m     map[string]gocv.Mat
}

func NewBook() *Book { return &Book{Pages: map[string]gocv.Mat{}, m: map[string]gocv.Mat{}} }

func (b *Book) Put(user string, m gocv.Mat) { b.m[user] = m }

func (b *Book) Get(user string) gocv.Mat { return b.m[user] }

func (b *Book) Remove(user string) {
	if m, ok := b.m[user]; ok {
		m.Close()
		delete(b.m, user)
	}
}

func (b *Book) Close() {
	for _, m := range b.m {
		m.Close()
	}
}
