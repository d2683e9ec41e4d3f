// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"fmt"

	"bugs/lib/fd"
)

// u53Transcode stands for native code that opens its input by name.
var u53Transcode = func(url string) error { return nil }

// Only the number of the reading end is used: nobody closes it, until its
// finalizer does so under the hands of the native code.
func u53ProbeBug(data []byte) error {
	r, w, err := fd.Pipe() // want GM102
	if err != nil {
		return err
	}
	go func() {
		defer w.Close()
		w.Write(data)
	}()
	return u53Transcode(fmt.Sprintf("pipe:%d", r.Fd()))
}

func u53ProbeFixed(data []byte) error {
	r, w, err := fd.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	go func() {
		defer w.Close()
		w.Write(data)
	}()
	return u53Transcode(fmt.Sprintf("pipe:%d", r.Fd()))
}
