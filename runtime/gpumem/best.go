// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import "errors"

// missBest makes room in the order of what it costs. The heap of the result is
// locked on success.
func (d *Device) missBest(r *request) (*block, error) {
	size := d.bestSegment(r)
	if over := d.acct.total() + size - d.acct.peak(); over > 0 {
		if _, err := d.releaseFree(cacheable); err != nil {
			return nil, err
		}
	}
	b, err := d.segmentFor(r, size)
	if !errors.Is(err, ErrOutOfMemory) {
		return b, err
	}
	r.note("driver", 0, err)
	released, e := d.emptyCache()
	if e != nil {
		return nil, e
	}
	d.acct.count(&d.acct.retries)
	if b, err = d.segmentFor(r, size); errors.Is(err, ErrOutOfMemory) {
		r.note("cache", released, err)
	}
	return b, err
}

func (d *Device) bestSegment(r *request) int64 {
	if r.kind == kindSmall {
		return smallBuffer
	}
	return roundUp(r.size, roundLarge)
}
