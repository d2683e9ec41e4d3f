// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package balance

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// Balancer chooses among devices. Its methods may be called from any goroutine.
type Balancer struct {
	devices []*gpumem.Device
}

// New makes a balancer of devices.
func New(devices ...*gpumem.Device) (*Balancer, error) {
	if len(devices) == 0 || slices.Contains(devices, nil) {
		return nil, fmt.Errorf("balance: no devices, or one that is nil: %w", gpumem.ErrInvalid)
	}
	return &Balancer{slices.Clone(devices)}, nil
}

// Room is what a device can still hold.
type Room struct {
	Device *gpumem.Device
	// Free is what allocations could take in bytes: what the driver has within
	// the limit, and what the device's own cache has.
	Free int64
}

// Rooms lists the devices, that with most room first; ties stay in the order of
// New. It asks each driver once.
func (b *Balancer) Rooms() ([]Room, error) {
	out := make([]Room, len(b.devices))
	for i, d := range b.devices {
		free, err := room(d)
		if err != nil {
			return nil, fmt.Errorf("balance: %s: %w", d.Name(), err)
		}
		out[i] = Room{d, free}
	}
	slices.SortStableFunc(out, func(a, b Room) int { return cmp.Compare(b.Free, a.Free) })
	return out, nil
}

func room(d *gpumem.Device) (int64, error) {
	free, _, err := d.Driver().MemInfo()
	if err != nil {
		return 0, err
	}
	var s gpumem.Stats
	d.ReadStats(&s)
	if s.Limit > 0 {
		free = min(free, max(s.Limit-s.ReservedBytes.All.Current, 0))
	}
	return free + s.CachedBytes(), nil
}

// Pick gives the device with most room, if n bytes fit there in one piece; else
// another where they do. Where they fit nowhere the error matches
// gpumem.ErrOutOfMemory. Somebody else may take the room before it is used:
// Alloc tries the next device then.
func (b *Balancer) Pick(n int64) (*gpumem.Device, error) {
	rooms, err := b.Rooms()
	if err != nil {
		return nil, err
	}
	for _, r := range rooms {
		f, err := r.Device.EstimateFit(n)
		if err != nil {
			return nil, fmt.Errorf("balance: %w", err)
		}
		if f.OK {
			return r.Device, nil
		}
	}
	return nil, fmt.Errorf("balance: %v fit on none of %d devices, the most room is %v on %s: %w",
		gpumem.Bytes(n), len(rooms), gpumem.Bytes(rooms[0].Free), rooms[0].Device.Name(), gpumem.ErrOutOfMemory)
}

// Alloc allocates on the device with most room, and on the next where that fails
// for want of memory. The error then has those of all devices. Reports blame the
// caller, unless opts name a site.
func (b *Balancer) Alloc(n int64, opts ...gpumem.AllocOption) (gpumem.Buffer, error) {
	rooms, err := b.Rooms()
	if err != nil {
		return gpumem.Buffer{}, err
	}
	var failed error
	for _, r := range rooms {
		blame := gpumem.At(r.Device.CallerSite(1))
		buf, err := r.Device.Alloc(n, append([]gpumem.AllocOption{blame}, opts...)...)
		if err == nil {
			return buf, nil
		}
		failed = errors.Join(failed, err)
		if !errors.Is(err, gpumem.ErrOutOfMemory) {
			break // the device is broken, or the request
		}
	}
	return gpumem.Buffer{}, failed
}

// Share is a device's part of a batch.
type Share struct {
	Device      *gpumem.Device
	Start, Size int
}

// Split cuts a batch of total into one part a device, in the order of New and in
// proportion to the room that each has; each is bytes for one example. A part is
// no larger than its device has room for, and may be empty. Where all together
// have too little room the error matches gpumem.ErrOutOfMemory.
func (b *Balancer) Split(total int, each int64) ([]Share, error) {
	if total < 0 || each < 0 {
		return nil, fmt.Errorf("balance: split %d examples of %d bytes: %w", total, each, gpumem.ErrInvalid)
	}
	free := make([]int64, len(b.devices))
	for i, d := range b.devices {
		var err error
		if free[i], err = room(d); err != nil {
			return nil, fmt.Errorf("balance: %s: %w", d.Name(), err)
		}
	}
	sizes, fits := proportion(total, each, free)
	if !fits {
		return nil, fmt.Errorf("balance: %d examples of %v do not fit on %d devices with %v free in all: %w",
			total, gpumem.Bytes(each), len(free), gpumem.Bytes(sum(free)), gpumem.ErrOutOfMemory)
	}
	out := make([]Share, len(b.devices))
	at := 0
	for i, d := range b.devices {
		out[i] = Share{d, at, sizes[i]}
		at += sizes[i]
	}
	return out, nil
}

// proportion shares total in proportion to free: first the whole parts, then
// one each to where the largest fraction was cut off. It is false where the
// parts do not fit.
func proportion(total int, each int64, free []int64) (sizes []int, fits bool) {
	sizes = make([]int, len(free))
	most := make([]int, len(free))
	for i, f := range free {
		most[i] = total
		if each > 0 {
			most[i] = int(min(f/each, int64(total)))
		}
	}
	all := float64(sum(free))
	rest := total
	fraction := make([]float64, len(free))
	for i, f := range free {
		part := float64(total) / float64(len(free)) // nobody has room, and nothing is needed
		if all > 0 {
			part = float64(total) * float64(f) / all
		}
		sizes[i] = min(int(part), most[i])
		fraction[i] = part - math.Floor(part)
		rest -= sizes[i]
	}
	order := make([]int, len(free))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(fraction[b], fraction[a]) })
	for rest > 0 {
		given := false
		for _, i := range order {
			if rest > 0 && sizes[i] < most[i] {
				sizes[i]++
				rest--
				given = true
			}
		}
		if !given {
			return nil, false
		}
	}
	return sizes, true
}

func sum(list []int64) (n int64) {
	for _, v := range list {
		n += v
	}
	return n
}

// Imbalance is the most that one device holds over the mean, in allocated bytes:
// 1 is even, and the number of devices is all on one. Without anything allocated
// it is 1.
func Imbalance(devices ...*gpumem.Device) float64 {
	var most, all int64
	for _, d := range devices {
		var s gpumem.Stats
		d.ReadStats(&s)
		n := s.AllocatedBytes.All.Current
		most = max(most, n)
		all += n
	}
	if all == 0 {
		return 1
	}
	return float64(most) * float64(len(devices)) / float64(all)
}
