// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"
	"strings"
	"testing"
)

// idioms is the inventory of docs/models.md: one example, or a few, for each
// idiom of ownership found in GPU libraries, and what it must mean. The text
// form of an effect names everything in it, so that comparing texts compares
// the typed values. TestEveryIdiom sees to it that none is missing.
var idioms = []struct {
	name string
	stub string   // declarations, after a header with the classes x.a, x.b, x.p
	want []string // Key: directives, one line a function
}{
	// Acquire.
	{"A1", `
//gpumem:acquire x.a result0
func ByError(n int) (*T, error)

//gpumem:acquire x.a result0
//gpumem:success status=0 result=1
func ByStatus() (T, Return)

//gpumem:acquire x.a result0
//gpumem:success nonnil
func ByHandle() uintptr

//gpumem:acquire x.a result0
//gpumem:success true
func ByBool() (*T, bool)

//gpumem:acquire x.a result0
//gpumem:success always
func MustNew() *T`, []string{
		"lib.ByError: acquire x.a result0",
		"lib.ByStatus: acquire x.a result0; success status=0 result=1",
		"lib.ByHandle: acquire x.a result0; success nonnil",
		"lib.ByBool: acquire x.a result0; success true",
		"lib.MustNew: acquire x.a result0; success always",
	}},
	{"A2", `
//gpumem:acquire x.a result0 result1
func (t *T) Sort(dim int) (retVal0 *T, retVal1 *T, err error)

//gpumem:acquire x.a result1
func (o *O) DetectAndCompute(src, mask T) ([]KeyPoint, T)`, []string{
		"(lib.T).Sort: acquire x.a result0; acquire x.a result1",
		"(lib.O).DetectAndCompute: acquire x.a result1",
	}},
	{"A3", `
//gpumem:acquire x.a result0[]
func Chunk(n int) ([]*T, error)

//gpumem:acquire x.a result0[]
func Run(inputs map[string]*T) (map[string]*T, error)

//gpumem:acquire x.a result0.Data result0.Label when=result1
func (it *Iter) Next() (Item, bool)

//gpumem:acquire x.a result0[].Tensor
func LoadMulti(path string) ([]Named, error)

//gpumem:acquire x.a result0<0>
func (d Dataset) Iter() iter.Seq2[T, error]`, []string{
		"lib.Chunk: acquire x.a result0[]",
		"lib.Run: acquire x.a result0[]",
		"(lib.Iter).Next: acquire x.a result0.Data when=result1; acquire x.a result0.Label when=result1",
		"lib.LoadMulti: acquire x.a result0[].Tensor",
		"(lib.Dataset).Iter: acquire x.a result0<0>",
	}},
	{"A4", `
//gpumem:acquire x.a *p
//gpumem:success status=0
func Malloc(p *unsafe.Pointer, n int) int

//gpumem:acquire x.a recv
//gpumem:alias result0 of=recv
func (d *T) Malloc(n int) (T, Status)

//gpumem:acquire x.a request.Set
func Create(request *Request) Status

//gpumem:use
func Blur(src T, dst *T)`, []string{
		"lib.Malloc: acquire x.a *p; success status=0 result=0",
		"(lib.T).Malloc: acquire x.a recv; alias result0 of=recv",
		"lib.Create: acquire x.a request.Set",
		"lib.Blur: use",
	}},
	{"A5", `
//gpumem:fill x.a outputs
func (s *S) Run(inputs, outputs []V) error

//gpumem:acquire x.a out[]
func Allocate(info *Info, out []T) int`, []string{
		"(lib.S).Run: fill x.a outputs",
		"lib.Allocate: acquire x.a out[]",
	}},
	{"A6", `
//gpumem:acquire x.a *dst when=alloc
//gpumem:alias result0 of=dst
func (h Host) CopyToDevice(dst *T, alloc bool) *T`, []string{
		"(lib.Host).CopyToDevice: acquire x.a *dst when=alloc; alias result0 of=dst",
	}},
	{"A7", `
//gpumem:acquire x.a s when=recycle
//gpumem:success always
func (q *Q) Slice() (s *T, recycle bool)`, []string{
		"(lib.Q).Slice: acquire x.a result0 when=result1; success always",
	}},
	{"A8", `
//gpumem:alias result0 of=recv
func (b *B) To(device int) *B

//gpumem:acquire x.a result0
func (b *B) Done() (*T, error)`, []string{
		"(lib.B).To: alias result0 of=recv",
		"(lib.B).Done: acquire x.a result0",
	}},
	{"A9", `
//gpumem:acquire x.a vc when=always
func File(uri string) (vc *T, err error)`, []string{
		"lib.File: acquire x.a result0 when=always",
	}},
	{"A10", `
//gpumem:acquire x.a result0
//gpumem:adopt ptr of=result0
func FromPointer(ptr unsafe.Pointer) *T`, []string{
		"lib.FromPointer: acquire x.a result0; adopt ptr of=result0",
	}},
	{"A11", `
//gpumem:acquire x.a result0
func (d *D) GetQueue() *Q

//gpumem:borrow result0 of=recv
func (d *D) Queue() *Q`, []string{
		"(lib.D).GetQueue: acquire x.a result0",
		"(lib.D).Queue: borrow result0 of=recv",
	}},
	{"A12", `
//gpumem:class x.event noun=event verb=released ignore

//gpumem:acquire x.event result0
func (q *Q) Enqueue() (*Event, error)`, []string{
		"class x.event ignore",
		"(lib.Q).Enqueue: acquire x.event result0",
	}},
	{"A13", `
//gpumem:acquire x.a result0
func NewMat() T

//gpumem:use
func (m *T) Upload(data []byte)`, []string{
		"lib.NewMat: acquire x.a result0",
		"(lib.T).Upload: use",
	}},

	// Release.
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

	// Transfer.
	{"T1", `
//gpumem:consume x.a smpl of=chain
func ChainAdd(chain T, smpl T)

//gpumem:acquire x.a result0
//gpumem:consume x.b buf of=result0 when=success
func FromBuffer(buf B) (*T, error)`, []string{
		"lib.ChainAdd: consume x.a smpl of=chain",
		"lib.FromBuffer: acquire x.a result0; consume x.b buf of=result0 when=success",
	}},
	{"T2", `
//gpumem:acquire x.a result0
//gpumem:consume x.a recv when=del
func (t *T) View(size []int64, del bool) (*T, error)

//gpumem:consume x.a recv when=delOpt
func (t *T) Values(delOpt ...bool) []float64

//gpumem:consume x.a tensors[] when=del
func Align(tensors []*T, del bool)

//gpumem:consume x.a recv when=!keep
func (t *T) Take(keep bool)`, []string{
		"(lib.T).View: acquire x.a result0; consume x.a recv when=del",
		"(lib.T).Values: consume x.a recv when=delOpt",
		"lib.Align: consume x.a tensors[] when=del",
		"(lib.T).Take: consume x.a recv when=!keep",
	}},
	{"T3", `
//gpumem:consume x.b inputs[] when=each:donate
func (e *E) Run(inputs []B, donate []bool) []*T

//gpumem:keep inputs[] of=result0
func (e *E) Execute(inputs ...*B) *Config

//gpumem:consume x.b recv[] when=maybe
//gpumem:alias result0 of=recv
func (c *Config) Donate(indices ...int) *Config`, []string{
		"(lib.E).Run: consume x.b inputs[] when=each:donate",
		"(lib.E).Execute: keep inputs[] of=result0",
		"(lib.Config).Donate: consume x.b recv[] when=maybe; alias result0 of=recv",
	}},
	{"T4", `
//gpumem:consume x.a t of=result0 when=success
func Donate(t *T) (any, error)`, []string{
		"lib.Donate: consume x.a t of=result0 when=success",
	}},
	{"T5", `
//gpumem:acquire x.b result0
//gpumem:consume x.a recv when=maybe
func (t *T) DonateBuffer() (B, error)`, []string{
		"(lib.T).DonateBuffer: acquire x.b result0; consume x.a recv when=maybe",
	}},
	{"T6", `
//gpumem:give x.a result0 of=chain
func ChainRemove(chain T, i int) T`, []string{
		"lib.ChainRemove: give x.a result0 of=chain",
	}},
	{"T7", `
//gpumem:acquire x.a result0
//gpumem:keep inputs[] outputs[] of=result0
func NewSession(inputs, outputs []V) (*T, error)`, []string{
		"lib.NewSession: acquire x.a result0; keep inputs[] of=result0; keep outputs[] of=result0",
	}},
	{"T8", `
//gpumem:retain hdc of=recv
func (c *C) SetDevice(hdc *T)`, []string{
		"(lib.C).SetDevice: retain hdc of=recv",
	}},

	// Borrow.
	{"B1", `
//gpumem:borrow result0 of=recv
func (p *Path) Get(name string) (*T, error)

//gpumem:borrow result0[] of=recv
func (s *Seq) GetValues() ([]V, error)`, []string{
		"(lib.Path).Get: borrow result0 of=recv",
		"(lib.Seq).GetValues: borrow result0[] of=recv",
	}},
	{"B2", `
//gpumem:view result0 of=recv owned
func (m *T) Region(r Rect) T`, []string{
		"(lib.T).Region: view result0 of=recv owned",
	}},
	{"B3", `
//gpumem:view result0 of=recv
func (s *T) Comp(i int) *T

//gpumem:view result0 of=recv
func (m *T) Data() []byte`, []string{
		"(lib.T).Comp: view result0 of=recv",
		"(lib.T).Data: view result0 of=recv",
	}},
	{"B4", `
//gpumem:alias result0 of=recv
func (t *T) ToDevice() (*T, error)

//gpumem:alias result0 of=x
func Eval(x *T) *T`, []string{
		"(lib.T).ToDevice: alias result0 of=recv",
		"lib.Eval: alias result0 of=x",
	}},
	{"B5", `
//gpumem:view result0 of=out owned
func (t *T) AddOut(out *T, other *T) (*T, error)`, []string{
		"(lib.T).AddOut: view result0 of=out owned",
	}},
	{"B6", `
//gpumem:borrow fn<0> of=recv
func (t *T) ConstFlatData(fn func(flat any)) error`, []string{
		"(lib.T).ConstFlatData: borrow fn<0> of=recv",
	}},
	{"B7", `
//gpumem:static
var None = NewTensor()`, []string{
		"lib.None: static",
	}},

	// Scope, order, concurrency.
	{"S1", `
//gpumem:acquire x.a result0
//gpumem:arena result0
func (b Backend) NewContext() Context

//gpumem:alias result0 of=recv
func (c Context) Layer(i int) Context

//gpumem:borrow result0 of=recv
func (c Context) Zeros(shape ...int) Tensor`, []string{
		"(lib.Backend).NewContext: acquire x.a result0; arena result0",
		"(lib.Context).Layer: alias result0 of=recv",
		"(lib.Context).Zeros: borrow result0 of=recv",
	}},
	{"S2", `
//gpumem:pin s[]
func Pin(s ...*T)

//gpumem:unpin s[]
func Unpin(s ...*T)

//gpumem:sweep x.a
func Sweep()`, []string{
		"lib.Pin: pin s[]", "lib.Unpin: unpin s[]", "lib.Sweep: sweep x.a",
	}},
	{"S3", `
//gpumem:sweep
//gpumem:thread
func GC()`, []string{
		"lib.GC: sweep; thread",
	}},
	{"S4", `
//gpumem:nograd
//gpumem:noscope
func NoGrad(fn func())`, []string{
		"lib.NoGrad: nograd; noscope",
	}},
	{"S5", `
//gpumem:acquire x.a result0
//gpumem:order result0 of=ctx
func Alloc(ctx *Ctx, n int) (*T, error)`, []string{
		"lib.Alloc: acquire x.a result0; order result0 of=ctx",
	}},
	{"S6", `
//gpumem:async dst of=stream
//gpumem:async src of=stream
func CopyAsync(dst, src T, stream Stream)

//gpumem:sync recv
func (s Stream) Synchronize()`, []string{
		"lib.CopyAsync: async dst of=stream; async src of=stream",
		"(lib.Stream).Synchronize: sync recv",
	}},
	{"S7", `
//gpumem:thread recv
func (c *Ctx) Lock()

//gpumem:thread
func SetDevice(n int)`, []string{
		"(lib.Ctx).Lock: thread recv", "lib.SetDevice: thread",
	}},
	{"S8", `
//gpumem:class x.none noun=a verb=freed backstop=none
//gpumem:class x.late noun=a verb=freed backstop=late
//gpumem:class x.gc noun=a verb=freed backstop=gc
//gpumem:class x.only noun=a verb=freed backstop=gconly
//gpumem:class x.broken noun=a verb=freed backstop=broken
`, []string{
		"class x.none", "class x.late backstop=1", "class x.gc backstop=2",
		"class x.only backstop=3", "class x.broken backstop=4",
	}},
	{"S9", `
//gpumem:class x.must noun=buffer verb=recycled pool=mandatory
//gpumem:class x.may noun=slice verb=returned pool=optional optional
`, []string{
		"class x.must pool=mandatory", "class x.may optional pool=optional",
	}},
	{"S10", `
//gpumem:resource x.a release=Destroy
type Value interface {
	//gpumem:view result0 of=recv
	Data() []byte
}`, []string{
		"type lib.Value x.a release=Destroy",
		"(lib.Value).Data: view result0 of=recv",
	}},
}

const idiomHeader = `//gpumem:package lib
//gpumem:source https://example.com
package lib

//gpumem:class x.a noun=thing verb=freed
//gpumem:class x.b noun=buffer verb=freed
//gpumem:class x.p noun="pool thing" verb=recycled

`

func TestIdioms(t *testing.T) {
	for _, idiom := range idioms {
		t.Run(idiom.name, func(t *testing.T) {
			f := mustParse(t, idiomHeader+idiom.stub)
			set, err := newSet(&library{}, nil).With(f)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(set, f); !slices.Equal(got, idiom.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(idiom.want, "\n"))
			}
		})
	}
}

// TestEveryIdiom counts the idioms.
func TestEveryIdiom(t *testing.T) {
	var names []string
	for _, idiom := range idioms {
		names = append(names, idiom.name)
	}
	want := "A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 " +
		"T1 T2 T3 T4 T5 T6 T7 T8 B1 B2 B3 B4 B5 B6 B7 S1 S2 S3 S4 S5 S6 S7 S8 S9 S10"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("idioms: %s\nwant:   %s", got, want)
	}
}

// TestRoundTrip reads the text form of every idiom and every built-in model
// again.
func TestRoundTrip(t *testing.T) {
	files := Default().Files()
	for _, idiom := range idioms {
		files = append(files, mustParse(t, idiomHeader+idiom.stub))
	}
	for _, f := range files {
		for _, fn := range f.Funcs {
			sc := &scope{recv: fn.Recv.Name, isRecv: fn.Recv.Type != "", params: fn.Params, results: fn.Results}
			for i, text := range fn.Directives() {
				if i >= len(fn.Effects) {
					break // success, which has no effect
				}
				var errs ErrorList
				d, _ := splitDirective(prefix+text, fn.Pos, &errs)
				again := sc.effects(d, verbs[d.verb], &errs)
				if len(errs) > 0 || len(again) != 1 || fn.directive(again[0]) != text {
					t.Errorf("%s: %s: read again: %v %v", f.Name, text, again, errs)
				}
			}
		}
	}
}

// describe is all that a file declares, as the set has it: one line each.
func describe(set *Set, f *File) (lines []string) {
	for _, c := range f.Classes {
		if c.Name == "x.a" || c.Name == "x.b" || c.Name == "x.p" {
			continue // the header's
		}
		line := "class " + c.Name
		for name, again := range againNames {
			if c.Again == again && again != AgainUnknown {
				line += " again=" + name
			}
		}
		for word, set := range map[string]bool{" nil=ok": c.NilSafe, " process": c.Process, " ignore": c.Ignore, " optional": c.Optional} {
			if set {
				line += word
			}
		}
		if c.Pool != "" {
			line += " pool=" + c.Pool
		}
		if c.Backstop != BackstopNone && c.Name != "x.c" {
			line += " backstop=" + string('0'+rune(c.Backstop))
		}
		lines = append(lines, line)
	}
	p := set.packages["lib"]
	for _, typ := range f.Types {
		typ = p.types[typ.name()]
		line := "type " + typ.Key + " " + typ.Class.Name + " release=" + strings.Join(typ.Releases, ",")
		if typ.Owned {
			line += " owned"
		}
		lines = append(lines, line)
	}
	for _, fn := range f.Funcs {
		fn = p.funcs[localKey(fn.Key, "lib")]
		lines = append(lines, fn.Key+": "+strings.Join(fn.Directives(), "; "))
	}
	return lines
}

func mustParse(t *testing.T, src string) *File {
	t.Helper()
	f, err := Parse("lib.gpumem", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
