// Copyright 2026 The gpumemlint Authors
// SPDX-License-Identifier: Apache-2.0

package rules

// idiomsTransfer is how ownership moves.
var idiomsTransfer = []idiom{
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
}

// idiomsBorrow is how things are lent.
var idiomsBorrow = []idiom{
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
}

// idiomsScope is scopes, order and concurrency.
var idiomsScope = []idiom{
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
func NoGrad(fn func())

//gpumem:nograd when=!on
func SetGrad(on bool)

//gpumem:grad result0
func (m *Model) Forward(x *T) *T

//gpumem:detach result0
func (t *T) Detach() *T

//gpumem:backward recv
func (t *T) Backward()

//gpumem:zerograd
//gpumem:backward loss
//gpumem:step
func (o *Opt) BackwardStep(loss *T)

//gpumem:freeze
func (m *Model) Freeze()`, []string{
		"lib.NoGrad: nograd; noscope",
		"lib.SetGrad: nograd when=!on",
		"(lib.Model).Forward: grad result0",
		"(lib.T).Detach: detach result0",
		"(lib.T).Backward: backward recv",
		"(lib.Opt).BackwardStep: zerograd; backward loss; step",
		"(lib.Model).Freeze: freeze",
	}},
	{"S5", `
//gpumem:acquire x.a result0
//gpumem:order result0 of=ctx
func Alloc(ctx *Ctx, n int) (*T, error)

//gpumem:class x.env noun=environment verb=destroyed process
//gpumem:class x.session noun=session verb=destroyed before=x.env`, []string{
		"class x.env process",
		"class x.session before=x.env",
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
