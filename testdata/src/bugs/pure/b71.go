// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import (
	"fmt"

	"bugs/lib/mmap"
)

type b71Head struct{ major, minor uint32 }

// The message about the wrong version reads the mapping that is gone.
func b71OpenBug(path string) (*mmap.Region, error) {
	r, err := mmap.Map(path)
	if err != nil {
		return nil, err
	}
	head := (*b71Head)(r.Head())
	if head.major != 1 {
		r.Unmap()
		return nil, fmt.Errorf("version %d.%d", head.major, head.minor) // want GM303
	}
	return r, nil
}

func b71OpenFixed(path string) (*mmap.Region, error) {
	r, err := mmap.Map(path)
	if err != nil {
		return nil, err
	}
	head := (*b71Head)(r.Head())
	if major, minor := head.major, head.minor; major != 1 {
		r.Unmap()
		return nil, fmt.Errorf("version %d.%d", major, minor)
	}
	return r, nil
}
