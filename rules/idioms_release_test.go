// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

// idiomsRelease is how it ends.
var idiomsRelease = []idiom{
	{"R1", `
//gpumem:resource x.a release=MustDrop,Drop owned
type T struct{}

//gpumem:release recv
func (t *T) Finalize() error`, []string{
		"type lib.T x.a release=MustDrop,Drop owned",
		"(lib.T).Finalize: release x.a recv",
	}},
	{"R2", `
//gpumem:release x.a m
func ModelFree(m Model)

//gpumem:release x.a keyed
func (d Device) ReleasePrimaryCtx() error

//gpumem:release x.a *e
func DestroyEvent(e *Event)

//gpumem:release x.a ptr
func (p *Pool) Free(dev int, ptr unsafe.Pointer, n int) error`, []string{
		"lib.ModelFree: release x.a m",
		"(lib.Device).ReleasePrimaryCtx: release x.a keyed",
		"lib.DestroyEvent: release x.a *e",
		"(lib.Pool).Free: release x.a ptr",
	}},
	{"R3", `
//gpumem:release x.a buffer
func (b Backend) BufferFinalize(buffer Buffer) error

//gpumem:release x.a mapped
func (q *Queue) Unmap(buffer *T, mapped *M) error`, []string{
		"(lib.Backend).BufferFinalize: release x.a buffer",
		"(lib.Queue).Unmap: release x.a mapped",
	}},
	{"R4", `
//gpumem:consume x.a commands[]
func (q *Queue) Submit(commands ...*T)

//gpumem:release x.a recv
func (c *T) Release()`, []string{
		"(lib.Queue).Submit: consume x.a commands[]",
		"(lib.T).Release: release x.a recv",
	}},
	{"R5", `
//gpumem:acquire x.p result0 release=Recycle
func Buffer(n int) *T

//gpumem:acquire x.a result0 release=Free
func NewSlice(n int) *T

//gpumem:release x.p s
func Recycle(s *T)

//gpumem:release x.a recv
func (s *T) Free()`, []string{
		"lib.Buffer: acquire x.p result0 release=Recycle",
		"lib.NewSlice: acquire x.a result0 release=Free",
		"lib.Recycle: release x.p s",
		"(lib.T).Free: release x.a recv",
	}},
	{"R6", `
//gpumem:release x.a recv partial
func (f *T) Unref()

//gpumem:release x.a recv
func (f *T) Free()`, []string{
		"(lib.T).Unref: release x.a recv partial",
		"(lib.T).Free: release x.a recv",
	}},
	{"R7", `
//gpumem:class x.c noun=scalar verb=dropped backstop=gc optional

//gpumem:release x.c recv advisory
func (s *S) Drop() error`, []string{
		"class x.c optional",
		"(lib.S).Drop: release x.c recv advisory",
	}},
	{"R8", `
//gpumem:acquire x.p
//gpumem:cleanup result0
func Init(mode int) (cleanup func(), err error)

//gpumem:acquire x.a result0
//gpumem:cleanup result0.Destroy
func NewBatch() *Batch`, []string{
		"lib.Init: acquire x.p; cleanup result0",
		"lib.NewBatch: acquire x.a result0; cleanup result0.Destroy",
	}},
	{"R9", `
//gpumem:acquire x.a result0
//gpumem:cancel ctx
func Listen(ctx context.Context) (<-chan Event, error)`, []string{
		"lib.Listen: acquire x.a result0; cancel ctx",
	}},
	{"R10", `
//gpumem:release x.p recv
//gpumem:release x.a recv[]
func (vs *Store) Destroy()

//gpumem:release x.a recv.Inputs[] recv.Labels[]
func (b Batch) Finalize() error`, []string{
		"(lib.Store).Destroy: release x.p recv; release x.a recv[]",
		"(lib.Batch).Finalize: release x.a recv.Inputs[]; release x.a recv.Labels[]",
	}},
	{"R11", `
//gpumem:class x.ok noun=a verb=closed again=ok
//gpumem:class x.err noun=b verb=closed again=error nil=crash
//gpumem:class x.crash noun=c verb=closed again=crash nil=ok

//gpumem:release x.ok recv again=crash nil=ok
func (t *T) Close()`, []string{
		"class x.ok again=ok", "class x.err again=error", "class x.crash again=crash nil=ok",
		"(lib.T).Close: release x.ok recv again=crash nil=ok",
	}},
	{"R12", `
//gpumem:class x.session noun=session verb="shut down" process

//gpumem:acquire x.session
//gpumem:success status=0
func Init() Return

//gpumem:release x.session
func Shutdown() Return`, []string{
		"class x.session process",
		"lib.Init: acquire x.session; success status=0 result=0",
		"lib.Shutdown: release x.session",
	}},
	{"R13", `
//gpumem:release x.a recv when=success
func (b *T) Close() error`, []string{
		"(lib.T).Close: release x.a recv when=success",
	}},
	{"R14", `
//gpumem:invalid recv when=maybe
func (t *T) ToLocal() error

//gpumem:invalid recv
func (m *T) Reset()`, []string{
		"(lib.T).ToLocal: invalid recv when=maybe",
		"(lib.T).Reset: invalid recv",
	}},
}
