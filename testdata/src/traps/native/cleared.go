// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package native

// #cgo CFLAGS: -I${SRCDIR}/../../bugs/native
// #include "native.h"
import "C"

// To clear a cache is not to free it: it is used again, and freed in the end.
func cleared(n int) (int, error) {
	c := C.kvcache_new(C.int(n))
	if c == nil {
		return 0, errFailed
	}
	defer C.kvcache_free(c)
	used := 0
	for range n {
		C.kvcache_clear(c)
		if C.kvcache_dropout(c, 0.5) != 0 {
			return 0, errFailed
		}
		used += int(C.kvcache_used(c))
	}
	C.kvcache_clear(c)
	return used, nil
}
