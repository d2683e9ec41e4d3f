// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package gpumemtest

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/gpumemlint/gpumemlint/runtime/gpumem"
)

// maxLeaks is how many leaks a message spells out; all are counted.
const maxLeaks = 20

// Leak is a group of resources of one kind that one call site made.
type Leak struct {
	Device    string
	Kind      gpumem.Kind
	Count     int
	Bytes     int64 // of device memory, as rounded by the allocator; for views that of their buffers
	Requested int64 // bytes asked for; for views those in view
	Site      gpumem.SiteID
	Tag       string
	Stream    gpumem.StreamHandle
	Pool      string
	Age       time.Duration // of the oldest; 0 where it isn't known
	Steps     int64         // of the oldest, as counted by Device.Step
	GCFreed   bool          // no longer alive: the garbage collector released it
	Rule      string        // the linter's rule that is about such a leak, such as "GM102"

	device         *gpumem.Device
	step, lastStep int64 // when the oldest and the newest were made
}

// LeakError says what leaked. errors.Is(err, gpumem.ErrLeak) holds where
// something did, and not where only a budget was exceeded.
type LeakError struct {
	Leaks  []Leak   // the largest first
	Budget []string // peaks over MaxPeak
	Driver []string // what the driver says, a line a device
}

// Is matches gpumem.ErrLeak.
func (e *LeakError) Is(target error) bool { return target == gpumem.ErrLeak && len(e.Leaks) > 0 }

// mayPass says whether waiting can help.
func (e *LeakError) mayPass() bool {
	for _, l := range e.Leaks {
		if !l.GCFreed {
			return true
		}
	}
	return false
}

func compareLeaks(a, b Leak) int {
	return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Device, b.Device),
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Site.String(), b.Site.String()), cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.Site, b.Site))
}

// Error lists every leak with the stack that made it.
func (e *LeakError) Error() string {
	var b strings.Builder
	if len(e.Leaks) > 0 {
		b.WriteString("found unexpected GPU allocations:\n")
	}
	several := false
	for _, l := range e.Leaks {
		several = several || l.Device != e.Leaks[0].Device
	}
	for i := range e.Leaks {
		if i == maxLeaks {
			fmt.Fprintf(&b, "… and %d more call sites\n", len(e.Leaks)-maxLeaks)
			break
		}
		e.Leaks[i].write(&b, several)
	}
	for _, line := range e.Budget {
		b.WriteString(line + "\n")
	}
	for _, line := range e.Driver {
		b.WriteString(line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (l *Leak) write(b *strings.Builder, device bool) {
	what := "leaked at"
	if l.GCFreed {
		what = "freed only by the garbage collector, made at"
	}
	fmt.Fprintf(b, "[%s] %s %v (rule %s)\n", l.amount(), what, l.Site, l.Rule)
	if facts := l.facts(device); len(facts) > 0 {
		fmt.Fprintf(b, "\t%s\n", strings.Join(facts, ", "))
	}
	frames := l.Site.Frames()
	if len(frames) == 0 {
		b.WriteString("\tno stack: open the device with gpumem.WithTracking(gpumem.TrackStack)\n")
	}
	for _, f := range frames {
		if f.File == "" {
			continue // a registered site is all in its name
		}
		fmt.Fprintf(b, "\t%s\n\t\t%s:%d\n", f.Function, f.File, f.Line)
	}
}

// amount is "2 buffers, 2.00 MiB".
func (l *Leak) amount() string {
	s := fmt.Sprintf("%d %v", l.Count, l.Kind)
	if l.Count > 1 {
		s += "s"
	}
	switch {
	case l.Kind == gpumem.KindView:
		s += fmt.Sprintf(" of %v keeping %v", gpumem.Bytes(l.Requested), gpumem.Bytes(l.Bytes))
	case l.Bytes > 0:
		s += ", " + gpumem.Bytes(l.Bytes).String()
	}
	return s
}

func (l *Leak) facts(device bool) (out []string) {
	switch {
	case l.Steps > 0:
		out = append(out, fmt.Sprintf("age %d steps", l.Steps))
	case l.Age > 0:
		out = append(out, fmt.Sprintf("age %v", roundAge(l.Age)))
	}
	if l.Kind == gpumem.KindBuffer || l.Kind == gpumem.KindView {
		out = append(out, fmt.Sprintf("stream %d", l.Stream), "pool "+l.Pool)
	}
	if l.Tag != "" {
		out = append(out, fmt.Sprintf("tag %q", l.Tag))
	}
	if device {
		out = append(out, "on "+l.Device)
	}
	return out
}

// roundAge keeps the digits that say something.
func roundAge(d time.Duration) time.Duration {
	switch {
	case d >= time.Hour:
		return d.Round(time.Minute)
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	case d >= time.Millisecond:
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Microsecond)
}

// overBudget notes a peak above the limit; 0 is no limit.
func (e *LeakError) overBudget(d *gpumem.Device, limit int64) {
	if limit <= 0 {
		return
	}
	var s gpumem.Stats
	d.ReadStats(&s)
	if peak := s.AllocatedBytes.All.Peak; peak > limit {
		e.Budget = append(e.Budget, fmt.Sprintf("%s: %v (%d bytes) were allocated at the peak, and the test allows %v (%d bytes)%s",
			d.Name(), gpumem.Bytes(peak), peak, gpumem.Bytes(limit), limit, peakSites(d)))
	}
}

// reading is what allocator and driver say of a device's memory, in bytes.
type reading struct {
	reserved int64
	used     int64 // on the device, by whomever
	ok       bool
}

func read(d *gpumem.Device) reading {
	var s gpumem.Stats
	d.ReadStats(&s)
	free, total, err := d.Driver().MemInfo()
	return reading{reserved: s.ReservedBytes.All.Current, used: total - free, ok: err == nil}
}

// askDriver adds what the driver says of each leaking device, after the cache
// has been given back to it, and counts ages.
func (e *LeakError) askDriver(c *config) {
	asked := map[*gpumem.Device]bool{}
	steps := map[*gpumem.Device]int64{}
	for i := range e.Leaks {
		l := &e.Leaks[i]
		if _, ok := steps[l.device]; !ok {
			steps[l.device] = l.device.Step() - 1 // the counter can only be read by moving it
		}
		l.Steps = steps[l.device] - l.step
		if asked[l.device] || l.Bytes == 0 || l.GCFreed {
			continue
		}
		asked[l.device] = true
		_, trimErr := l.device.Trim(0)
		now := read(l.device)
		if trimErr != nil || !now.ok {
			e.Driver = append(e.Driver, "the driver can't be asked")
			continue
		}
		base, known := c.base[l.device]
		if !known || !base.ok {
			e.Driver = append(e.Driver, fmt.Sprintf("driver: %v reserved for this device, %v in use on it",
				gpumem.Bytes(now.reserved), gpumem.Bytes(now.used)))
			continue
		}
		verdict := "driver confirms"
		if now.used <= base.used {
			verdict = "driver does not confirm it (what leaked lies in memory that was reserved before, or is free again)"
		}
		e.Driver = append(e.Driver, fmt.Sprintf("%s: reserved %s, process %s", verdict, signed(now.reserved-base.reserved), signed(now.used-base.used)))
	}
}

func signed(n int64) string {
	if n < 0 {
		return gpumem.Bytes(n).String()
	}
	return "+" + gpumem.Bytes(n).String()
}
