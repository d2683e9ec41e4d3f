// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"slices"

	"gocv.io/x/gocv"
)

// The bytes are those of the C buffer that the deferred call frees.
func i07EncodeBug(img gocv.Mat) ([]byte, error) {
	buf, err := gocv.IMEncode(".png", img)
	if err != nil {
		return nil, err
	}
	defer buf.Close()
	return buf.GetBytes(), nil // want GM303
}

func i07EncodeFixed(img gocv.Mat) ([]byte, error) {
	buf, err := gocv.IMEncode(".png", img)
	if err != nil {
		return nil, err
	}
	defer buf.Close()
	return slices.Clone(buf.GetBytes()), nil
}
