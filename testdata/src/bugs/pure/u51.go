// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package pure

import "bugs/lib/cuvs"

// A batch per shard; only the last way out of the iteration frees it.
func u51GetBug(e *cuvs.Engine, shards [][]byte) error {
	for _, data := range shards {
		id, err := e.AllocateBatch(1) // want GM102
		if err != nil {
			return err
		}
		if err := e.Submit(id, data); err != nil {
			return err
		}
		st, err := e.Status(id)
		if err != nil {
			return err
		}
		if st < 0 {
			break
		}
		if err := e.FreeBatch(id); err != nil {
			return err
		}
	}
	return nil
}

func u51GetFixed(e *cuvs.Engine, shards [][]byte) error {
	for _, data := range shards {
		id, err := e.AllocateBatch(1)
		if err != nil {
			return err
		}
		if err := e.Submit(id, data); err != nil {
			e.FreeBatch(id)
			return err
		}
		st, err := e.Status(id)
		e.FreeBatch(id)
		if err != nil {
			return err
		}
		if st < 0 {
			break
		}
	}
	return nil
}
