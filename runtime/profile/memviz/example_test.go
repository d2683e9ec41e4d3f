// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package memviz_test

import (
	"bytes"
	"fmt"

	"github.com/gpumemlint/gpumemlint/runtime/profile/memviz"
)

func ExampleRead() {
	// What torch.cuda.memory._dump_snapshot wrote reads the same way.
	s, err := memviz.Read([]byte(`{"segments":[{"address":4096,"total_size":1024,"blocks":[
		{"size":512,"requested_size":400,"state":"active_allocated"},{"size":512,"state":"inactive"}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Allocated(0), s.Reserved(0))
	_, err = memviz.Read([]byte("hello"))
	fmt.Println(err)
	// Output:
	// 512 1024
	// snapshot: the file is neither JSON nor a pickle
}

func ExampleSnapshot_WritePickle() {
	s := &memviz.Snapshot{Settings: memviz.NewSettings()}
	var file bytes.Buffer // for copies of the viewer that know no JSON
	fmt.Println(s.WritePickle(&file), file.Bytes()[:2])
	// Output: <nil> [128 4]
}
