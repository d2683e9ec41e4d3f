// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

// catalogUse is GM3xx: something is used or released when it must not be.
var catalogUse = []Rule{
	{
		ID: "GM301", Pass: "usefreed", Severity: SeverityError, Since: "v0.1.0", Default: true,
		Title: "used after release",
		Text: `
A handle is used after it was released, or after it was handed to something
that took it over. In C that reads memory that may already belong to somebody
else; on the GPU the wrong result comes without any error.`,
		Wrong: `
func size(img gocv.Mat) int {
	img.Close()
	return img.Rows() * img.Cols()
}`,
		Message: "Mat in img is used by Mat.Rows after it was closed (line 2): release it after the last use (GM301)",
		Right: `
func size(img gocv.Mat) int {
	n := img.Rows() * img.Cols()
	img.Close()
	return n
}`,
		NotReported: `
Questions about the state of the handle itself, such as Closed. A new release
of a handle whose second release is harmless.`,
	},
	{
		ID: "GM302", Pass: "doublefree", Severity: SeverityError, Since: "v0.1.0", Default: true,
		Title: "released twice, or releases what was consumed or only borrowed",
		Text: `
The second release of a C handle frees memory that may have a new owner. The
same holds for releasing what a call has consumed, what a container still
owns, and the copy of a struct handle whose original is released too.`,
		Wrong: `
func sampler(chain llama.Sampler) {
	s := llama.SamplerInitGreedy()
	llama.SamplerChainAdd(chain, s) // the chain owns it now
	llama.SamplerFree(s)
}`,
		Message: "sampler from llama.SamplerInitGreedy (line 2) is freed by llama.SamplerFree, but llama.SamplerChainAdd (line 3) has taken it over: drop one of them (GM302)",
		Right: `
func sampler(chain llama.Sampler) {
	s := llama.SamplerInitGreedy()
	llama.SamplerChainAdd(chain, s)
}`,
		NotReported: `
Handles whose second release the library documents as harmless or as an error,
through the same variable. A retry after a release that failed. Release on two
paths that exclude each other.`,
	},
	{
		ID: "GM303", Pass: "outlive", Severity: SeverityError, Since: "v0.1.0", Default: true,
		Title: "a view, borrow or asynchronous operation outlives what it needs",
		Text: `
A slice over native memory, a borrowed element, or a copy that still runs on a
stream needs its source to stay. The source is released first, and what reads
it then reads freed memory.`,
		Wrong: `
func pixels(path string) []uint8 {
	img := gocv.IMRead(path, gocv.IMReadColor)
	defer img.Close()
	data, _ := img.DataPtrUint8()
	return data // memory of img, which is closed now
}`,
		Message: "what Mat.DataPtrUint8 (line 4) gave out is returned, but the deferred Mat.Close has closed the Mat from gocv.IMRead (line 2) under it by then: copy it (GM303)",
		Right: `
func pixels(path string) []uint8 {
	img := gocv.IMRead(path, gocv.IMReadColor)
	defer img.Close()
	data, _ := img.DataPtrUint8()
	return slices.Clone(data)
}`,
		NotReported: `
Views that own a header and share storage by reference count. Asynchronous
operations that are waited for before the release.`,
	},
}
