// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumem

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
)

// Mark is a point in a device's life; see [Device.Mark].
type Mark struct {
	heaps  map[uint64]uint64 // base of the ids of a heap, to the last id
	others uint64
}

// Mark remembers which buffers, views, streams, events, pools and arenas were
// made before. It costs as much as there are streams, not buffers.
func (d *Device) Mark() Mark {
	m := Mark{heaps: map[uint64]uint64{}}
	for _, h := range d.allHeaps() {
		h.mu.Lock()
		m.heaps[h.base] = h.base | h.seq
		h.mu.Unlock()
	}
	d.live.mu.Lock()
	m.others = d.live.seq
	d.live.mu.Unlock()
	return m
}

// heapOf is where the ids of a heap's buffers begin; see newHeap.
func heapOf(id uint64) uint64 { return id >> 40 << 40 }

// LiveSince lists what was made after m and is alive, in the order of
// [Device.Live]; all goroutines' are among it.
func (d *Device) LiveSince(m Mark) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for r := range d.Live() {
			last := m.others
			if r.Kind == KindBuffer {
				last = m.heaps[heapOf(r.ID)] // 0 for a stream that is new
			}
			if r.ID > last && !yield(r) {
				return
			}
		}
	}
}

// Budget is what a part of a program may take, in bytes.
type Budget struct {
	Name string
	Peak int64 // most active bytes above those at the start; 0 is no limit
	Keep int64 // bytes made inside that may be alive at the end
}

// BudgetError says that a part of a program took more than its budget.
type BudgetError struct {
	Budget Budget
	Peak   int64    // active bytes above those at the start
	Kept   []Record // what was made inside and is alive, if that is too much
}

// Error names the budget that was exceeded, and who keeps what.
func (e *BudgetError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "budget %q exceeded:", e.Budget.Name)
	if e.Budget.Peak > 0 && e.Peak > e.Budget.Peak {
		fmt.Fprintf(&b, " %v were needed at the peak, %v are allowed;", Bytes(e.Peak), Bytes(e.Budget.Peak))
	}
	if len(e.Kept) > 0 {
		total := int64(0)
		for _, r := range e.Kept {
			total += r.Size
		}
		fmt.Fprintf(&b, " %v are kept in %d, %v are allowed;", Bytes(total), len(e.Kept), Bytes(e.Budget.Keep))
		for i, r := range e.Kept {
			if i == 3 {
				fmt.Fprintf(&b, " and %d more;", len(e.Kept)-i)
				break
			}
			fmt.Fprintf(&b, " %v;", r)
		}
	}
	return strings.TrimSuffix(b.String(), ";")
}

// Within is [Device.Run] with a budget: inference, say, that must keep nothing
// when it is done. Where the budget is exceeded the error has a *BudgetError
// besides that of f. What other goroutines allocate on d meanwhile counts too,
// and streams, events and empty pools count as nothing.
func (d *Device) Within(ctx context.Context, b Budget, f func(ctx context.Context, s *Scope) error) error {
	m := d.Mark()
	phase := d.Phase(b.Name)
	err := d.Run(ctx, f)
	used := phase.End()
	e := &BudgetError{Budget: b, Peak: used.Peak - used.Start}
	total := int64(0)
	for r := range d.LiveSince(m) {
		if r.Size > 0 && r.Kind != KindArena { // an arena's buffer is listed by itself
			total += r.Size
			e.Kept = append(e.Kept, r)
		}
	}
	if total <= b.Keep {
		e.Kept = nil
	}
	if e.Kept == nil && (b.Peak <= 0 || e.Peak <= b.Peak) {
		return err
	}
	return errors.Join(err, e)
}

// TagType tags a buffer with the name of its values' type, such as "float16",
// so that reports show what a program keeps in which precision.
func TagType[T any]() AllocOption { return Tag(reflect.TypeFor[T]().String()) }
