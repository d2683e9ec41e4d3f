// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"errors"

	"gocv.io/x/gocv"
)

// A loop at the end closes the channels; a return before it does not.
func u09AlphaBug(img gocv.Mat) (gocv.Mat, error) {
	channels := gocv.Split(img)
	if len(channels) != 4 {
		return gocv.Mat{}, errors.New("image has no alpha channel") // want GM101
	}
	mask := channels[3].Clone()
	for i := range channels {
		channels[i].Close()
	}
	return mask, nil
}

func u09AlphaFixed(img gocv.Mat) (gocv.Mat, error) {
	channels := gocv.Split(img)
	defer func() {
		for i := range channels {
			channels[i].Close()
		}
	}()
	if len(channels) != 4 {
		return gocv.Mat{}, errors.New("image has no alpha channel")
	}
	return channels[3].Clone(), nil
}
