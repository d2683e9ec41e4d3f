// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

// catalogLeak is GM1xx: something owned is lost inside one function.
var catalogLeak = []Rule{
	{
		ID: "GM101", Pass: "errpath", Severity: SeverityWarning, Since: "v0.1.0", Default: true,
		Title: "not released on an error path",
		Text: `
A function acquires device memory or a native handle, a later step fails, and
the function returns the error without releasing what it already holds. The
happy path is correct, which is why tests and reviews do not see it; the
memory is gone each time the error occurs.

The same happens in a constructor that fills a struct step by step: when the
second step fails, the caller gets nil and an error, and nobody can close the
half-built value any more.

Release what is held before each return, or defer a function that releases it
when the named error result is not nil.`,
		Wrong: `
func openSession(path string) (*ort.DynamicAdvancedSession, error) {
	opts, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	if err := opts.SetIntraOpNumThreads(4); err != nil {
		return nil, err // opts is lost here
	}
	s, err := ort.NewDynamicAdvancedSession(path, nil, nil, opts)
	if err != nil {
		opts.Destroy()
		return nil, err
	}
	return s, opts.Destroy()
}`,
		Message: "options object from ort.NewSessionOptions (line 2) is not destroyed when this returns: SessionOptions.SetIntraOpNumThreads failed (GM101)",
		Right: `
func openSession(path string) (*ort.DynamicAdvancedSession, error) {
	opts, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer opts.Destroy()
	if err := opts.SetIntraOpNumThreads(4); err != nil {
		return nil, err
	}
	return ort.NewDynamicAdvancedSession(path, nil, nil, opts)
}`,
		NotReported: `
The return that follows the failed acquisition itself: nothing was acquired.
Paths that end in panic, log.Fatal or os.Exit. Values that were handed to the
caller, stored in a struct whose type releases them, sent to a channel, or
passed to a function whose effect is not known. Resources of the process, such
as an initialised library, in main. Where a function is too large to follow
all its paths, what is found has the tier possible.`,
	},
	{
		ID: "GM102", Pass: "leak", Severity: SeverityWarning, Since: "v0.1.0", Default: true,
		Title: "never released on some ordinary path, or on all",
		Text: `
Something owned is still held when the function returns normally, and no
caller can reach it. If it is lost in a loop, each turn loses one.

Release it when it is no longer needed, or return it to the caller.`,
		Wrong: `
func brightness(path string) float64 {
	img := gocv.IMRead(path, gocv.IMReadGrayScale)
	if img.Empty() {
		return 0
	}
	return img.Mean().Val1
}`,
		Message: "Mat from gocv.IMRead is never closed (GM102)",
		Right: `
func brightness(path string) float64 {
	img := gocv.IMRead(path, gocv.IMReadGrayScale)
	defer img.Close()
	if img.Empty() {
		return 0
	}
	return img.Mean().Val1
}`,
		NotReported: `
What is returned, stored where it outlives the function, or passed to a
function whose effect is not known. Resources that only the garbage collector
frees. What lives until the end of the process on purpose: an initialised
library, a MIG instance, everything that main still holds when it returns.`,
	},
	{
		ID: "GM103", Pass: "discard", Severity: SeverityWarning, Since: "v0.1.0", Default: true,
		Title: "owned result is dropped, or is an inline temporary that nothing can release",
		Text: `
The result of an acquisition is not kept in a variable: it is ignored,
assigned to the blank identifier, used only as the receiver of the next call,
or written directly as an argument of a function that does not take it over.
After the statement nothing can release it. Inline C.CString is the most
frequent case.

Give it a name and release that.`,
		Wrong: `
func hello() {
	C.puts(C.CString("hello"))
}`,
		Message: "C memory from C.CString is dropped: nothing can release it any more, so give it a name and release it (GM103)",
		Right: `
func hello() {
	s := C.CString("hello")
	defer C.free(unsafe.Pointer(s))
	C.puts(s)
}`,
		NotReported: `
Results that libraries expect to be ignored, such as the events of OpenCL's
enqueue functions. Arguments of functions that consume them or whose effect is
not known. Acquisitions whose status is ignored together with the result, where
there is nothing to release if it failed: these have the tier possible.`,
	},
	{
		ID: "GM104", Pass: "overwrite", Severity: SeverityWarning, Since: "v0.1.0", Default: true,
		Title: "a variable or owning field is assigned again while it still owns",
		Text: `
The only variable or field that refers to something owned gets a new value.
What it referred to is lost, although the code may carefully release the last
value at the end.

Release the old value before the assignment, or keep it under another name.`,
		Wrong: `
func pyramid(img gocv.Mat, levels int) gocv.Mat {
	cur := img.Clone()
	for range levels {
		next := gocv.NewMat()
		gocv.PyrDown(cur, &next, image.Point{}, gocv.BorderDefault)
		cur = next // the level before is lost
	}
	return cur
}`,
		Message: "Mat from Mat.Clone (line 2) is lost: cur is assigned again before it is closed (GM104)",
		Right: `
func pyramid(img gocv.Mat, levels int) gocv.Mat {
	cur := img.Clone()
	for range levels {
		next := gocv.NewMat()
		gocv.PyrDown(cur, &next, image.Point{}, gocv.BorderDefault)
		cur.Close()
		cur = next
	}
	return cur
}`,
		NotReported: `
Variables whose old value was released, handed over or is nil, also where a
test such as "if old != nil" says so. Fields whose old value another variable
still holds. Destination arguments that a library fills in place.`,
	},
	{
		ID: "GM105", Pass: "loopdefer", Severity: SeverityWarning, Since: "v0.1.0", Default: true,
		Title: "a deferred release inside a loop that runs long",
		Text: `
A deferred call runs when the function returns, not when the iteration ends.
In a loop over frames, batches or requests every iteration keeps its memory
until the whole loop is over, and in an endless loop for ever.

Release at the end of the loop body, or move the body into a function of its
own, where defer does what is meant.`,
		Wrong: `
func play(cam *gocv.VideoCapture, show func(gocv.Mat)) {
	for {
		img := gocv.NewMat()
		defer img.Close()
		if !cam.Read(&img) {
			return
		}
		show(img)
	}
}`,
		Message: "Mat from gocv.NewMat (line 3) is closed only when the function returns, not in each iteration: release it at the end of the loop body or move the body into a function (GM105)",
		Right: `
func play(cam *gocv.VideoCapture, show func(gocv.Mat)) {
	img := gocv.NewMat()
	defer img.Close()
	for cam.Read(&img) {
		show(img)
	}
}`,
		NotReported: `
Loops with a small constant number of turns. Iterations that leave the loop or
the function after the defer. Values that are used after the loop, so that
their release at the end is meant. A loop whose body only registers releases
of what was acquired before it. Function literals called in the body: their
defers run in each iteration.`,
	},
	{
		ID: "GM106", Pass: "deferarg", Severity: SeverityWarning, Since: "v0.1.0", Default: true,
		Title: "defer evaluated its argument before the resource was there",
		Text: `
The arguments of a deferred call are evaluated by the defer statement. If the
variable is filled only afterwards, the deferred call releases nil, and the
real value is lost.

Put the defer after the acquisition, or defer a func literal, which reads the
variable when it runs.`,
		Wrong: `
func upload(n C.size_t) error {
	var buf unsafe.Pointer
	defer C.cudaFree(buf) // buf is nil now, and that is what is freed
	if st := C.cudaMalloc(&buf, n); st != C.cudaSuccess {
		return errors.New("no device memory")
	}
	return fill(buf, n)
}`,
		Message: "deferred call has already evaluated its argument, still nil here: device memory from C.cudaMalloc is not freed; defer it after the acquisition or inside a func literal (GM106)",
		Right: `
func upload(n C.size_t) error {
	var buf unsafe.Pointer
	if st := C.cudaMalloc(&buf, n); st != C.cudaSuccess {
		return errors.New("no device memory")
	}
	defer C.cudaFree(buf)
	return fill(buf, n)
}`,
		NotReported: `
Deferred func literals. Deferred methods on a pointer to the handle: the
pointer is evaluated early, but not what it points to. Variables that already
hold a resource which the deferred call does release; if they are filled
again, that is GM104.`,
	},
}
