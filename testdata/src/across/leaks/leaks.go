// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

// Command leaks is the top: what neither it nor what it imports takes out stays.
package main

import (
	"bufio"
	"os"

	"across/frames"
	"gocv.io/x/gocv"
)

func main() {
	book := frames.NewBook()
	defer book.Close()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		process(in.Text())
		page(book, in.Text())
	}
}

func process(id string) {
	m := gocv.NewMat()
	frames.Left = append(frames.Left, m) // want GM203
	remember(id)
	sweep(id)
	open(id)
}

func remember(id string) {
	m := gocv.NewMat()
	frames.Remember(id, m) // want GM203
}

func sweep(id string) {
	m := gocv.NewMat()
	frames.Swept[id] = m // want GM203
}

// It trims these itself.
func open(id string) {
	m := gocv.NewMat()
	frames.Open = append(frames.Open, m)
}

// A field that others can reach.
func page(b *frames.Book, id string) {
	m := gocv.NewMat()
	b.Pages[id] = m // want GM203
}
