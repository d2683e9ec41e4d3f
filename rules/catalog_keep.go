// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

// catalogKeep is GM2xx: something is reachable, but kept too long.
var catalogKeep = []Rule{
	{
		ID: "GM201", Pass: "retain", Severity: SeverityWarning, Since: "v0.1.0", Default: true,
		Title: "kept in a long-lived slice, map, global, channel or field and never taken out",
		Text: `
A container that lives as long as the server receives device memory on every
request or step, and no code anywhere takes elements out, bounds their number
or clears it. The garbage collector cannot help: everything is reachable.`,
		Wrong: `
var seen []*ort.Tensor[float32]

func remember(t *ort.Tensor[float32]) { seen = append(seen, t) }`,
		Message: "tensor is kept in seen, from which nothing ever takes it: bound it, or have what it drops destroyed (GM201)",
		Right: `
var last *ort.Tensor[float32]

func remember(t *ort.Tensor[float32]) {
	if last != nil {
		last.Destroy()
	}
	last = t
}`,
		NotReported: `
Containers with a bound: constant or enumerated keys, a length check before the
insertion, a cache that evicts, once only. Containers that are filled while an
object or the program is set up. Weak pointers. Elements that whoever puts them in
releases. A container whose owner releases the elements in the end, unless it grows
with every step, which is GM203. A variable or field that other packages can reach
has the tier possible.`,
	},
	{
		ID: "GM202", Pass: "evict", Severity: SeverityWarning, Since: "v0.1.0", Default: true,
		Title: "removed from a container, or the container cleared, without release",
		Text: `
An element that owns device memory is deleted from a map, cut off a slice,
overwritten in place, or the whole container is emptied, and the element is
not released first. A cache of another package counts as well: its Delete, and
an insertion that evicts if it was given no func for what it throws out.`,
		Wrong: `
func (c *cache) drop(key string) { delete(c.mats, key) }

func (c *cache) Close() {
	for _, m := range c.mats {
		m.Close()
	}
}`,
		Message: "Mat is dropped from c.mats by delete without being closed: call Close on it first (GM202)",
		Right: `
func (c *cache) drop(key string) {
	if m, ok := c.mats[key]; ok {
		m.Close()
		delete(c.mats, key)
	}
}

func (c *cache) Close() {
	for _, m := range c.mats {
		m.Close()
	}
}`,
		NotReported: `
Elements that were taken out before and released or handed over. Containers of
borrowed elements: nobody releases them, or another container holds the same
ones. Removals in a function that is handed the element as well, or whose caller
releases it.`,
	},
	{
		ID: "GM203", Pass: "itercache", Severity: SeverityWarning, Since: "v0.1.0", Default: true,
		Title: "grows with every iteration, request or step",
		Text: `
A cache is keyed by something that is different every time: a shape, a
pointer, a time, the text of a prompt. Each key holds its own buffer or
compiled program, and none is ever hit again. Or every forward pass, request or
turn of an endless loop appends one more. A Close that empties it comes too late.`,
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
		Message: "executor from graph.MustNewExec is cached in e.programs under a key that changes from call to call: bound the cache, or round the key (GM203)",
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
Keys from an enumeration, a constant set, a table or the configuration. Caches
with a bound or an eviction. One element for each size that comes up, if the owner
releases them in the end.`,
	},
	{
		ID: "GM204", Pass: "goretain", Severity: SeverityWarning, Since: "v0.1.0", Default: true,
		Title: "a goroutine or closure that outlives its work keeps it",
		Text: `
A goroutine captures device memory and then waits for ever: on a channel that
nobody closes, on a lock, in a loop without an end. What it captured stays
until the process ends.`,
		Wrong: `
func area(ctx context.Context, img gocv.Mat) (float64, error) {
	ch := make(chan float64)
	go func() {
		defer img.Close()
		ch <- measure(img)
	}()
	select {
	case a := <-ch:
		return a, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}`,
		Message: "goroutine holds Mat img and blocks for ever if this function returns at line 11 before it receives from ch: give the channel room for one, or let the send give up with the context (GM204)",
		Right: `
func area(ctx context.Context, img gocv.Mat) (float64, error) {
	ch := make(chan float64, 1)
	go func() {
		defer img.Close()
		ch <- measure(img)
	}()
	select {
	case a := <-ch:
		return a, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}`,
		NotReported: `
Goroutines that hold no resource, or end by a context, a timeout or a channel that
is closed. Channels that other code may receive from or close. Workers that live as
long as the program and hold a fixed amount.`,
	},
	{
		ID: "GM205", Pass: "viewpin", Severity: SeverityNote, Since: "v0.1.0", Default: true,
		Title: "a small view keeps a large parent alive",
		Text: `
A view shares the storage of its parent. Keeping one row of a batch keeps the
batch. Copy what is to be kept, and release the parent.`,
		Wrong: `
func (h *history) add(batch gocv.Mat) {
	h.rows = append(h.rows, batch.Row(0))
}`,
		Message: "Mat from Mat.Row is kept in h.rows and with it the whole parent: copy the part and release the view (GM205)",
		Right: `
func (h *history) add(batch gocv.Mat) {
	row := batch.Row(0)
	defer row.Close()
	h.rows = append(h.rows, row.Clone())
}`,
		NotReported: `
Views of all of the parent. Views whose parent is kept by the same object. A view
that is returned, or stored in a single field, while the caller has the parent has the
tier possible.`,
	},
}
