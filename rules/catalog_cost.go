// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

// catalogCost is GM5xx: scopes, order and habits that waste memory.
var catalogCost = []Rule{
	{
		ID: "GM501", Pass: "nograd", Severity: SeverityNote, Since: "v0.1.0", Default: true,
		Title: "inference outside a no-grad scope keeps the graph",
		Text: `
Outside a no-grad scope every operation keeps its inputs for a backward pass
that never comes. An evaluation of the whole test set then needs as much
memory as a training step of that size. The opposite is reported too: a
backward pass inside such a scope, where no graph was recorded.`,
		Wrong: `
func accuracy(m ts.ModuleT, x, y *ts.Tensor) float64 {
	logits := m.ForwardT(x, false)
	defer logits.MustDrop()
	acc := logits.AccuracyForLogits(y)
	defer acc.MustDrop()
	return acc.Float64Values()[0]
}`,
		Message: "m.ForwardT runs outside ts.NoGrad and only Tensor.Float64Values (line 6) reads what it gives: the graph is kept for nothing (GM501)",
		Right: `
func accuracy(m ts.ModuleT, x, y *ts.Tensor) (value float64) {
	ts.NoGrad(func() {
		logits := m.ForwardT(x, false)
		defer logits.MustDrop()
		acc := logits.AccuracyForLogits(y)
		defer acc.MustDrop()
		value = acc.Float64Values()[0]
	})
	return value
}`,
		NotReported: `
Calls whose result reaches a backward pass or an optimizer, or leaves the
function. Calls whose train argument is not the constant false and whose
result is not read. Functions that are called only from no-grad scopes.
Packages that freeze the weights. Tests. The answer for a single input, not in
a loop and compared with nothing, has the tier possible.`,
	},
	{
		ID: "GM502", Pass: "gradaccum", Severity: SeverityWarning, Since: "v0.1.0", Default: true,
		Title: "a loss or metric accumulated with its graph, or gradients never zeroed",
		Text: `
Adding the loss tensors of all steps keeps the graphs of all steps. Take the
number out of the tensor and add that. Gradients that are never set to zero
add up over the steps, which is rarely meant; where it is, because several
small batches make one step, the loss is divided by their number.`,
		Wrong: `
func epoch(m ts.ModuleT, opt *nn.Optimizer, xs []*ts.Tensor, y *ts.Tensor) float64 {
	total := ts.MustZeros([]int64{1}, gotch.Float, gotch.CPU)
	for _, x := range xs {
		loss := m.ForwardT(x, true).CrossEntropyForLogits(y)
		opt.BackwardStep(loss)
		total = total.MustAdd(loss, true)
	}
	return total.Float64Values()[0]
}`,
		Message: "total keeps the graph of every loss that is added to it: add its number, or detach it first (GM502)",
		Right: `
func epoch(m ts.ModuleT, opt *nn.Optimizer, xs []*ts.Tensor, y *ts.Tensor) (total float64) {
	for _, x := range xs {
		loss := m.ForwardT(x, true).CrossEntropyForLogits(y)
		opt.BackwardStep(loss)
		total += loss.Float64Values()[0]
	}
	return total
}`,
		NotReported: `
Sums that a backward pass goes through, here or perhaps in the caller. Losses
that were detached, or computed in a no-grad scope. Loops in which a call that
cannot be seen may zero the gradients. Tests.`,
	},
	{
		ID: "GM503", Pass: "cacheflush", Severity: SeverityNote, Since: "v0.1.0", Default: true,
		Title: "the allocator's cache flushed in a hot loop",
		Text: `
Flushing an allocator's cache gives free blocks back to the driver, and the
next step asks the driver for them again: slow, synchronising, and without any
effect on what is really held.`,
		Wrong: `
func train(steps int, step func()) {
	for range steps {
		step()
		ts.CleanUp()
	}
}`,
		Message: "ts.CleanUp in a loop: each step returns its cache to the driver and asks for it again; call it after the loop (GM503)",
		Right: `
func train(steps int, step func()) {
	for range steps {
		step()
	}
	ts.CleanUp()
}`,
		NotReported: `
Flushes after a failure, before a retry. Flushes that a condition guards: every
hundredth step, or when memory runs short. Trimming to a size other than zero.
Loops whose turns are phases: with a loop over the work inside, loading and
unloading a model, driven by a clock, or with few turns. Tests.`,
	},
	{
		ID: "GM504", Pass: "churn", Severity: SeverityNote, Since: "v0.1.0",
		Title: "the same device buffer allocated and released every iteration",
		Text: `
An allocation of the same size in every iteration synchronises the device and
can fragment it. Hoist it out of the loop, or take it from a pool. This is
advice: it is reported only where it is asked for. Where the size differs from
turn to turn it has the tier possible.`,
		Wrong: `
func blur(frames []gocv.Mat, out func(*gocv.Mat)) {
	for _, f := range frames {
		dst := gocv.NewMat()
		gocv.GaussianBlur(f, &dst, image.Pt(3, 3), 0, 0, gocv.BorderDefault)
		out(&dst)
		dst.Close()
	}
}`,
		Message: "Mat from gocv.NewMat is allocated and closed in every iteration: hoist it out of the loop (GM504)",
		Right: `
func blur(frames []gocv.Mat, out func(*gocv.Mat)) {
	dst := gocv.NewMat()
	defer dst.Close()
	for _, f := range frames {
		gocv.GaussianBlur(f, &dst, image.Pt(3, 3), 0, 0, gocv.BorderDefault)
		out(&dst)
	}
}`,
		NotReported: `
Buffers that are made from what the iteration works on: files, copies, results.
Values that leave the iteration. Loops with a small constant number of turns,
loops that a clock drives or that end when an allocation succeeds. What comes
from a pool, or from an allocator with a cache. Tests.`,
	},
	{
		ID: "GM505", Pass: "order", Severity: SeverityError, Since: "v0.1.0", Default: true,
		Title: "parent released before its children, or a thread-bound handle used elsewhere",
		Text: `
A context, environment or library goes before what was made in it, so that the
releases after it run into freed memory or fail. Or a handle that is bound to
an operating system thread is used by a goroutine that may run on another.`,
		Wrong: `
func run(path string) {
	model, _ := llama.ModelLoadFromFile(path, llama.ModelDefaultParams())
	ctx, _ := llama.InitFromModel(model, llama.ContextDefaultParams())
	defer llama.Free(ctx)
	llama.ModelFree(model) // before ctx
}`,
		Message: "model is freed while the model context from llama.InitFromModel (line 3), which needs it, is still there: release that first (GM505)",
		Right: `
func run(path string) {
	model, _ := llama.ModelLoadFromFile(path, llama.ModelDefaultParams())
	defer llama.ModelFree(model)
	ctx, _ := llama.InitFromModel(model, llama.ContextDefaultParams())
	defer llama.Free(ctx)
}`,
		NotReported: `
Orders that the library allows: options after the session that was made with
them, a view with a header of its own after its parent, children that hold a
reference. Parents whose child is not touched afterwards.`,
	},
}
