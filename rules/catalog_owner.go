// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

// catalogOwner is GM4xx: a type that owns does it wrongly.
var catalogOwner = []Rule{
	{
		ID: "GM401", Pass: "destructor", Severity: SeverityWarning, Since: "v0.1.0", Default: true,
		Title: "a Close that does not release an owning field on every path, or is not safe to call twice",
		Text: `
A release method returns at the first error and skips the fields after it,
forgets a field that the constructor fills, clears a field before it releases
it, or crashes when it is called again. Every value of the type leaks or
crashes with it.`,
		Wrong: `
func (m *model) Close() error {
	if err := m.session.Destroy(); err != nil {
		return err // input is never destroyed
	}
	return m.input.Destroy()
}`,
		Message: "Close does not release m.input when m.session.Destroy fails: go on and join the errors (GM401)",
		Right: `
func (m *model) Close() error {
	return errors.Join(m.session.Destroy(), m.input.Destroy())
}`,
		NotReported: `
Fields that were only borrowed. Early returns that test whether the value is
open at all. A second release that the library documents as harmless. A plain
wrapper that shows no sign of meaning to be closed twice is only "possible";
signs are a field that is tested or a sibling that is cleared, a flag that
nobody looks at, a comment that promises it.`,
	},
	{
		ID: "GM402", Pass: "finalizer", Severity: SeverityError, Since: "v0.1.0", Default: true,
		Title: "a cleanup or finalizer that never runs, frees too early, or races an explicit release",
		Text: `
A cleanup whose function reaches the object never runs; since Go 1.26
runtime.AddCleanup panics when it captures it. A finalizer that stays armed
after an explicit release frees a second time. A handle that is passed to C
after the last use of its Go object may be freed while C works with it.`,
		Wrong: `
func newValue(p unsafe.Pointer) *value {
	v := &value{p: p}
	runtime.AddCleanup(v, func(struct{}) { v.Close() }, struct{}{})
	return v
}`,
		Message: "cleanup of v captures v: it would never run, and AddCleanup panics since Go 1.26: pass what it frees as the argument (GM402)",
		Right: `
func newValue(p unsafe.Pointer) *value {
	v := &value{p: p}
	runtime.AddCleanup(v, release, p)
	return v
}`,
		NotReported: `
Cleanups of values that are released in no other way. Finalizers that look at a
field which the release clears, or at a flag. Objects that runtime.KeepAlive
keeps, and receivers and parameters in packages that keep nothing alive: the
caller may hold them.`,
	},
	{
		ID: "GM403", Pass: "ownercopy", Severity: SeverityError, Since: "v0.1.0", Default: true,
		Title: "a copied struct makes two owners",
		Text: `
Handles such as gocv.Mat are structs. A copy refers to the same native object,
and does not notice when the original is released. If both are closed, the
object is freed twice.`,
		Wrong: `
func twice(img gocv.Mat) {
	other := img
	other.Close()
	img.Close()
}`,
		Message: "other and img are copies of one Mat and both are closed: it is freed twice, clone it or hand it over (GM403)",
		Right: `
func twice(img gocv.Mat) {
	other := img.Clone()
	other.Close()
	img.Close()
}`,
		NotReported: `
Copies of which only one is released: handing a handle over by value is how
these libraries work. Originals that get another value in between. Structs whose
fields point at objects that may be released twice.`,
	},
	{
		ID: "GM404", Pass: "gcreliance", Severity: SeverityNote, Since: "v0.1.0", Default: true,
		Title: "device memory left to the garbage collector",
		Text: `
The library frees a forgotten object by a finalizer or cleanup. The collector
sees a few bytes of Go memory and has no reason to run, while the device is
full. Release it as soon as it is not needed any more. Since such libraries let
their users rely on it, this is reported with -tier possible only.

A wrapper that is built by hand, without the finalizer that the package sets on
others of its kind, is not even left to the collector: nothing ever frees it.`,
		Wrong: `
func sum(client *pjrt.Client, data []byte) error {
	buf, err := client.BufferFromHost().FromRawData(data, dtypes.Float32, dims).Done()
	if err != nil {
		return err
	}
	return run(buf)
}`,
		Message: "device buffer from BufferFromHostConfig.Done is left to the garbage collector, which sees only a few bytes of it: call Destroy on it (GM404)",
		Right: `
func sum(client *pjrt.Client, data []byte) error {
	buf, err := client.BufferFromHost().FromRawData(data, dtypes.Float32, dims).Done()
	if err != nil {
		return err
	}
	defer buf.Destroy()
	return run(buf)
}`,
		NotReported: `
Types that have no explicit release. Wrappers with a release method, which are
the caller's to close.`,
	},
}
