// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

// catalogKeep is GM2xx: something is reachable, but kept too long.
var catalogKeep = []Rule{
	{
		ID: "GM201", Pass: "retain", Severity: SeverityWarning, Planned: true,
		Title: "kept in a long-lived slice, map, global, channel or field and never taken out",
		Text: `
A container that lives as long as the server receives device memory on every
request or step, and no code anywhere takes elements out, bounds their number
or clears it. The garbage collector cannot help: everything is reachable.`,
		Wrong: `
var seen []*ort.Tensor[float32]

func remember(t *ort.Tensor[float32]) { seen = append(seen, t) }`,
		Message: "tensor is kept in seen, from which nothing ever takes it: bound it or release what it drops (GM201)",
		Right: `
var last *ort.Tensor[float32]

func remember(t *ort.Tensor[float32]) {
	if last != nil {
		last.Destroy()
	}
	last = t
}`,
		NotReported: `
Containers with a bound: constant keys, a length check before the insertion, a
cache that evicts. Containers that are filled only while the program starts.`,
	},
	{
		ID: "GM202", Pass: "evict", Severity: SeverityWarning, Planned: true,
		Title: "removed from a container, or the container cleared, without release",
		Text: `
An element that owns device memory is deleted from a map, cut off a slice,
overwritten in place, or the whole container is emptied, and the element is
not released first.`,
		Wrong: `
func (c *cache) drop(key string) { delete(c.mats, key) }`,
		Message: "Mat is removed from mats without being closed: close it before delete (GM202)",
		Right: `
func (c *cache) drop(key string) {
	if m, ok := c.mats[key]; ok {
		m.Close()
		delete(c.mats, key)
	}
}`,
		NotReported: `
Elements that were taken out before and released or handed over. Containers of
borrowed elements.`,
	},
	{
		ID: "GM203", Pass: "itercache", Severity: SeverityWarning, Planned: true,
		Title: "grows with every iteration, request or step",
		Text: `
A cache is keyed by something that is different every time: a shape, a
pointer, a time, the text of a prompt. Each key holds its own buffer or
compiled program, and none is ever hit again.`,
		Wrong: `
func (e *engine) program(shape []int) *graph.Exec {
	key := fmt.Sprint(shape)
	if p, ok := e.programs[key]; ok {
		return p
	}
	p := graph.MustNewExec(e.backend, e.fn)
	e.programs[key] = p
	return p
}`,
		Message: "executor from graph.MustNewExec is cached in programs by a key that changes with every call: bound the cache or round the key (GM203)",
		Right: `
func (e *engine) program(shape []int) *graph.Exec {
	key := bucket(shape) // one of eight sizes
	if p, ok := e.programs[key]; ok {
		return p
	}
	p := graph.MustNewExec(e.backend, e.fn)
	e.programs[key] = p
	return p
}`,
		NotReported: `
Keys from an enumeration, a constant set or the configuration. Caches with an
eviction that releases.`,
	},
	{
		ID: "GM204", Pass: "goretain", Severity: SeverityWarning, Planned: true,
		Title: "a goroutine or closure that outlives its work keeps it",
		Text: `
A goroutine captures device memory and then waits for ever: on a channel that
nobody closes, on a lock, in a loop without an end. What it captured stays
until the process ends.`,
		Wrong: `
func watch(img gocv.Mat, done chan struct{}) {
	go func() {
		defer img.Close()
		<-done // nobody closes done when the request is cancelled
	}()
}`,
		Message: "goroutine keeps a Mat and may never end: nothing sends on or closes done (GM204)",
		Right: `
func watch(ctx context.Context, img gocv.Mat, done chan struct{}) {
	go func() {
		defer img.Close()
		select {
		case <-done:
		case <-ctx.Done():
		}
	}()
}`,
		NotReported: `
Goroutines that end by a context, a timeout or a channel that is closed.
Workers that live as long as the program and hold a fixed amount.`,
	},
	{
		ID: "GM205", Pass: "viewpin", Severity: SeverityNote, Planned: true,
		Title: "a small view keeps a large parent alive",
		Text: `
A view shares the storage of its parent. Keeping one row of a batch keeps the
batch. Copy what is to be kept, and release the parent.`,
		Wrong: `
func firstRow(batch *gocv.Mat) gocv.Mat { return batch.Row(0) }`,
		Message: "view from batch.Row outlives the function and keeps the whole parent: clone it and close the view (GM205)",
		Right: `
func firstRow(batch *gocv.Mat) gocv.Mat {
	row := batch.Row(0)
	defer row.Close()
	return row.Clone()
}`,
		NotReported: `
Views that are released together with their parent, and views of all or most
of it.`,
	},
}
