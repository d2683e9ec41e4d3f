// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/genai"

type b29BatchBug struct {
	images  *genai.Images
	destroy func()
}

func (b *b29BatchBug) Destroy() {
	if b.destroy != nil {
		b.destroy()
	}
}

// The images go into the batch, but its clean-up function is never set.
func b29LoadBug(b *b29BatchBug, paths []string) error {
	images, err := genai.LoadImages(paths) // want GM102
	if err != nil {
		return err
	}
	b.images = images
	return nil
}

type b29BatchFixed struct {
	images  *genai.Images
	destroy func()
}

func (b *b29BatchFixed) Destroy() {
	if b.destroy != nil {
		b.destroy()
	}
}

func b29LoadFixed(b *b29BatchFixed, paths []string) error {
	images, err := genai.LoadImages(paths)
	if err != nil {
		return err
	}
	b.images = images
	b.destroy = images.Destroy
	return nil
}
